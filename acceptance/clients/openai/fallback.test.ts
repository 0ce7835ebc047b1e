import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { startHosted } from '../../providers/adapters/hosted.ts';
import { expectEndedOnce, newCustomer, providerNames } from '../../providers/adapters/ledgerChecks.ts';
import { at, painter } from '../../providers/adapters/models.ts';
import { installNode, runNode } from './programs.ts';

const integer = { type: 'integer', minimum: 1, maximum: 4 };
const ratio = { type: 'string', enum: ['1:1', '3:2', '16:9'] };
const renamed = { ...at.first(), input: { rename: { prompt: 'text' } } };
const painting = painter('painting', [at.replicate(), renamed], {
  aliases: ['gpt-image-1'],
  input_schema: {
    type: 'object',
    additionalProperties: false,
    required: ['prompt'],
    properties: { prompt: { type: 'string' }, num_outputs: integer, aspect_ratio: ratio },
  },
  openai: { images: { n: 'num_outputs', size: { ratio: 'aspect_ratio' } } },
  price: { per_image: '0.04' },
  estimate: { images: { input: 'num_outputs', default: 1 } },
});
const { stack, replicate, first } = await startHosted([painting], { COMPATIBLE_APIS: 'openai' });

const png =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

beforeAll(installNode, 600_000);
beforeEach(() => {
  replicate.plan({
    create: 'accept',
    ends: { output: [1, 2].map((n) => `${replicate.baseUrl}/files/${n}.png`) },
  });
  first.plan({ ends: { output: [png, png] } });
});

const settings = { num_outputs: 2, aspect_ratio: '3:2' };
const refusal = { detail: 'You have insufficient credit to run acme/painter at replicate.com.' };

it.each([
  ['answers', 'accept', { replicate: 1, first: 0 }],
  ['has no credit', { status: 402, json: refusal }, { replicate: 0, first: 1 }],
  ['does not know the model', { status: 404, json: refusal }, { replicate: 0, first: 1 }],
] as const)(
  "OpenAI's client gets the images of a model of two other providers when the first %s, and pays once",
  async (_how, create, runs) => {
    replicate.plan({ create });
    const before = { replicate: replicate.accepted().length, first: first.accepted().length };
    const customer = await newCustomer(stack);
    const remote = { baseUrl: `${stack.baseUrl}/v1/openai`, apiKey: customer.apiKey };
    const [painted] = await runNode('paint.mjs', remote, { PROMPT: 'a lighthouse' });
    expect(painted?.['data']).toEqual([expect.any(Number), expect.any(Number)]);
    expect(JSON.stringify(painted).replaceAll(stack.baseUrl, '')).not.toMatch(providerNames);
    const headers = new Map(painted?.['headers'] as [string, string][]);
    expect(headers.get('holdfast-cost')).toBe('0.08');

    const id = headers.get('holdfast-execution') ?? '';
    const { cost } = await expectEndedOnce(stack, customer, id);
    expect(cost).toBe('0.08');
    const made = {
      replicate: replicate.accepted().slice(before.replicate),
      first: first.accepted().slice(before.first),
    };
    expect({ replicate: made.replicate.length, first: made.first.length }).toEqual(runs);
    const inputs = [
      ...made.replicate.map((run) => replicate.run(run).body.input),
      ...made.first.map((run) => first.prediction(run).body.input),
    ];
    const [name] = runs.first === 1 ? ['text'] : ['prompt'];
    expect(inputs).toEqual([{ [name]: 'a lighthouse', ...settings }]);
  },
  60_000,
);
