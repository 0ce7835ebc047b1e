import type { ModelFile } from '@holdfast/domain/modelDefinition';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { stackOfTests } from '../../stack/stackOfTests.ts';
import type { Line } from '../programs.ts';
import { installNode, type Remote, runNode, runPython } from './programs.ts';

/** Models that the quickstarts name, run by the sandbox. */
const named = (
  slug: string,
  alias: string,
  more: Pick<ModelFile, 'output'> & Partial<ModelFile>,
): ModelFile => ({
  slug,
  aliases: [alias],
  provider: { adapter: 'cog', connection: 'sandbox', model: slug.replace('-2', '') },
  input_schema: {
    type: 'object',
    additionalProperties: false,
    properties: { prompt: { type: 'string' } },
    required: ['prompt'],
  },
  price: { per_run: '0.01' },
  ...more,
});
const stack = await stackOfTests({ COMPATIBLE_APIS: 'replicate' }, [
  named('sandbox-image-2', 'black-forest-labs/flux-schnell', { output: { kind: 'images' } }),
  named('sandbox-text-2', 'meta/meta-llama-3-70b-instruct', {
    output: { kind: 'text' },
    stream: 'text',
    on_cancel: 'charge',
  }),
]);
let remote: Remote;

beforeAll(async () => {
  await installNode();
  const { apiKey } = await stack.newCustomer();
  remote = { baseUrl: `${stack.baseUrl}/v1/replicate`, apiKey };
}, 600_000);

function expectNoProblem(lines: Line[] | null, atLeast: number): void {
  if (lines === null) return;
  expect(lines.filter(({ problem }) => problem !== null)).toEqual([]);
  expect(lines.length).toBeGreaterThanOrEqual(atLeast);
}

describe("by base URL and key alone, Replicate's client", () => {
  it('for Node works', async () => {
    expectNoProblem(await runNode('calls.mjs', remote), 25);
  }, 280_000);

  it('for Python works', async () => {
    expectNoProblem(await runPython('calls.py', remote), 20);
  }, 900_000);
});

it('by base URL and key alone, the AI SDK works', async () => {
  expectNoProblem(await runNode('aiSdk.mjs', remote), 4);
}, 120_000);

it("by base URL alone, the samples of Replicate's quickstarts work", async () => {
  expectNoProblem(await runNode('quickstart.mjs', remote), 3);
  expectNoProblem(await runPython('quickstart.py', remote), 3);
}, 900_000);
