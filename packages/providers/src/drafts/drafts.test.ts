import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parseModel } from '../catalogue/parseModel.ts';
import { cogDraft } from '../cog/draft.ts';
import { type FakeServer, startFakeServer } from '../conformance/fakeServer.ts';
import { falDraft } from '../fal/draft.ts';
import { openaiDraft } from '../openai/draft.ts';
import { replicateDraft } from '../replicate/draft.ts';
import { DraftError, type ModelDraft, slugOf } from './draft.ts';
import { modelFile } from './modelFile.ts';

let server: FakeServer;
beforeEach(async () => {
  server = await startFakeServer();
});
afterEach(() => server.close());

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures', `${name}.json`), 'utf8'));
const connection = () => ({ baseUrl: server.baseUrl, apiKey: 'key-1', settings: {} });

/** The file of a draft, which must be valid, and what it says. */
async function written(drafting: Promise<ModelDraft>) {
  const text = modelFile(await drafting);
  const { definition, problems, warnings } = parseModel('draft.yaml', text);
  expect([problems, warnings]).toEqual([[], []]);
  if (definition === null) throw new Error('no definition');
  return { text, definition };
}

const price = (unit: string, amount = 0.025, currency = 'USD') => ({
  prices: [{ endpoint_id: 'fal-ai/flux/dev', unit_price: amount, unit, currency }],
});

async function fal(listed: unknown) {
  server.reply({ status: 200, json: fixture('falFlux') }, { status: 200, json: listed });
  return await written(falDraft(connection(), 'fal', 'fal-ai/flux/dev'));
}

const openai = (name: string, more: object = {}) => {
  server.reply({ status: 200, json: { data: [{ id: 'other' }, { id: name, ...more }] } });
  return written(openaiDraft(connection(), 'vllm', name));
};

describe('the draft of a model of Replicate', () => {
  it('has the schema with files, the aliases and the kind of the output, and is not offered without a price', async () => {
    server.reply({ status: 200, json: fixture('replicateFlux') });
    const { text, definition } = await written(
      replicateDraft(connection(), 'replicate', 'black-forest-labs/flux-schnell'),
    );
    expect(definition).toMatchObject({
      slug: 'flux-schnell',
      active: false,
      aliases: [
        'black-forest-labs/flux-schnell',
        expect.stringMatching(/^black-forest-labs\/flux-schnell:c846/),
      ],
      providers: [{ adapter: 'replicate', model: 'black-forest-labs/flux-schnell', mode: 'callback' }],
      estimate: { seconds: 1, images: { input: 'num_outputs', default: 1 } },
      output: { kind: 'images' },
    });
    expect(definition.input_schema).toMatchObject({
      required: ['prompt'],
      additionalProperties: false,
      properties: {
        seed: { type: ['integer', 'null'], 'x-order': 5 },
        image: { type: 'string', format: 'file' },
        aspect_ratio: { type: 'string', enum: ['1:1', '16:9', '21:9'], default: '1:1' },
        output_quality: expect.not.objectContaining({ default: 180 }),
      },
      examples: [{ prompt: expect.stringContaining('FLUX SCHNELL') }],
    });
    expect(text).toMatch(/# Set maxLength: the provider states none\.\n +prompt:/);
    expect(text).toMatch(/# Not offered until you have set the price[^\n]*\nactive: false/);
    expect(server.received[0]).toMatchObject({
      path: '/models/black-forest-labs/flux-schnell',
      headers: { authorization: 'Bearer key-1' },
    });
  });

  it('is pinned to its version if it is not official, and leaves the cost of a cancel to the operator', async () => {
    server.reply({ status: 200, json: fixture('replicateLlama') });
    const { text, definition } = await written(replicateDraft(connection(), 'replicate', 'acme/llama-13b'));
    expect(definition.providers[0]?.model).toMatch(/^acme\/llama-13b:5a6809/);
    expect(definition.output.kind).toBe('text');
    expect(definition.stream).toBeUndefined();
    expect(text).toMatch(/# stream: text\n# on_cancel: charge/);
    const { temperature, stop } = definition.input_schema['properties'] as Record<string, object>;
    expect(temperature).toMatchObject({ exclusiveMinimum: 0 });
    expect(stop).not.toHaveProperty('pattern');
    const offered = text.replace(/^# (stream|on_cancel):/gm, '$1:');
    expect(parseModel('draft.yaml', offered).problems).toEqual([]);
  });
});

describe('the draft of an app of fal', () => {
  it('has the schema in its order, files by their hints, and the price of the account', async () => {
    const { text, definition } = await fal(price('megapixels'));
    expect(definition).toMatchObject({
      slug: 'flux-dev',
      active: true,
      aliases: ['fal-ai/flux/dev'],
      price: { per_megapixel: '0.025' },
      estimate: { images: { input: 'num_images', default: 1 } },
      output: { kind: 'images' },
    });
    expect(definition.input_schema['properties']).toMatchObject({
      prompt: { 'x-order': 0 },
      image_url: { type: 'string', format: 'file' },
      image_size: { anyOf: [{ type: 'object' }, { enum: expect.anything() }], default: 'landscape_4_3' },
      loras: { items: { required: ['path'] } },
    });
    expect(definition.input_schema['examples']).toEqual([
      { prompt: 'Extreme close-up of a single tiger eye' },
    ]);
    expect(text).toContain('# fal charges 0.025 USD per megapixels: set what you charge.');
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual([undefined, 'Key key-1']);
  });

  it.each([
    ['images', 0.04, { per_image: '0.04' }],
    ['compute seconds', 0.00003, { per_second: '0.00003' }],
    ['videos', 0.5, { per_run: '0.5' }],
    ['1000 characters', 0.1, { per_character: { input: 'prompt', price: '0.0001' } }],
  ])('reads a price per %s', async (unit, amount, expected) => {
    const { definition } = await fal(price(unit, amount));
    expect(definition.price).toEqual(expected);
    expect(definition.providers[0]?.mode).toBe(unit === 'compute seconds' ? 'poll' : 'callback');
  });

  it.each([[price('songs')], [price('images', 1, 'EUR')], [{}]])(
    'leaves a price that Holdfast can not express to the operator: %j',
    async (listed) => {
      const { definition, text } = await fal(listed);
      expect(definition.active).toBe(false);
      expect(text).toMatch(/The price below is a placeholder\.\nprice:/);
    },
  );
});

it('the draft of a Cog container has its schema, at a connection of its own', async () => {
  server.reply({ status: 200, json: fixture('cog') });
  const { text, definition } = await written(cogDraft(connection(), 'upscaler'));
  expect(definition).toMatchObject({
    slug: 'upscaler',
    providers: [{ adapter: 'cog', connection: 'upscaler', options: { path: '' } }],
    input_schema: { examples: [{ image: 'file_sample' }] },
    output: { kind: 'files', max_files: 1 },
  });
  expect(text).toContain('# Files of any type: write images, videos or audios if all are.');
});

describe('the draft of a model of an OpenAI-compatible server', () => {
  it.each([
    ['gpt-4o-mini', 'chat', 'text'],
    ['o4-mini', 'responses', 'text'],
    ['gpt-image-1', 'images', 'images'],
    ['dall-e-3', 'images', 'images'],
    ['whisper-1', 'transcriptions', 'text'],
    ['gpt-4o-mini-tts', 'speech', 'audios'],
    ['text-embedding-3-small', 'embeddings', 'raw'],
    ['omni-moderation-latest', 'moderations', 'raw'],
  ])('has what is known of models such as %s', async (name, endpoint, kind) => {
    const { definition } = await openai(name);
    expect(definition).toMatchObject({
      slug: name,
      providers: [{ connection: 'vllm', model: name, options: { endpoint } }],
      output: { kind },
    });
  });

  it('has the bounds and prices that the server lists', async () => {
    const pricing = { prompt: '0.0000001', completion: '0.0000004' };
    const { definition } = await openai('meta-llama/Llama-3.1-8B', { max_model_len: 8192, pricing });
    expect(definition).toMatchObject({
      slug: 'llama-3.1-8b',
      aliases: ['meta-llama/Llama-3.1-8B'],
      active: true,
      price: { per_input_token: '0.0000001', per_output_token: '0.0000004' },
      input_schema: { properties: { max_tokens: { maximum: 8192 } } },
    });
  });
});

it.each([
  ['unknown', { status: 404, json: {} }, 'there is no model a/b'],
  ['forbidden', { status: 401, json: {} }, 'the key is refused'],
  ['without a version', { status: 200, json: { latest_version: null } }, 'no version'],
  ['cut off', 'reset', "can't be read"],
] as const)('a model that is %s is an error for the operator', async (_case, reply, message) => {
  server.reply(reply);
  await expect(replicateDraft(connection(), 'replicate', 'a/b')).rejects.toThrow(message);
});

it('a model that the server does not list is an error for the operator', async () => {
  server.reply({ status: 200, json: { data: [] } });
  await expect(openaiDraft(connection(), 'vllm', 'a')).rejects.toThrow(DraftError);
});

it.each([
  ['fal-ai/kling-video/v2/master', 'kling-video-v2-master'],
  ['acme/Llama_3:abc', 'llama_3'],
  ['gpt-4o', 'gpt-4o'],
])('the slug of %s is %s', (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});
