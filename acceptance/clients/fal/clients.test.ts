import type { ModelFile } from '@holdfast/domain/modelDefinition';
import { closing } from '@holdfast/testkit/closing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { stackOfTests } from '../../stack/stackOfTests.ts';
import type { Line } from '../programs.ts';
import { startTlsProxy, tlsHost } from '../tlsProxy.ts';
import { installNode, runNode, runPython } from './programs.ts';

const model = (slug: string, sandboxModel: string, more: Partial<ModelFile>): ModelFile => ({
  slug,
  provider: { adapter: 'cog', connection: 'sandbox', model: sandboxModel },
  input_schema: { type: 'object' },
  price: { per_run: '0.01' },
  output: { kind: 'text' },
  ...more,
});

const prompted: ModelFile['input_schema'] = {
  type: 'object',
  additionalProperties: false,
  properties: { prompt: { type: 'string' } },
};
/** The first has a longer name, the second has none but its own, and the samples use the others. */
const models = [
  model('flux', 'sandbox-image', { aliases: ['sandbox/flux/dev'], output: { kind: 'images' } }),
  model('plain', 'sandbox-text', {}),
  model('narrow', 'sandbox-image', { output: { kind: 'images' }, limits: { concurrency: 1 } }),
  model('sample-image', 'sandbox-image', {
    aliases: ['fal-ai/flux/dev', 'fal-ai/fast-sdxl'],
    input_schema: prompted,
    output: { kind: 'images' },
  }),
  model('sample-speech', 'sandbox-text', {
    aliases: ['fal-ai/whisper'],
    provider: {
      adapter: 'cog',
      connection: 'sandbox',
      model: 'sandbox-text',
      input: { rename: { audio_url: 'prompt' } },
    },
    input_schema: { type: 'object', properties: { audio_url: { type: 'string', format: 'file' } } },
  }),
];
const settings = { COMPATIBLE_APIS: 'fal', FAL_HOSTS: tlsHost, TRUST_PROXY: '1' };
const stack = await stackOfTests(settings, models);
const proxy = closing(await startTlsProxy(stack.baseUrl));
let key: string;

beforeAll(async () => {
  await installNode();
  key = (await stack.newCustomer()).apiKey;
}, 600_000);

const javaScript = () => ({ FAL_KEY: key, FAL_PROXY_URL: `${stack.baseUrl}/v1/fal/proxy` });

function expectNoProblem(lines: Line[] | null, atLeast: number): void {
  if (lines === null) return;
  expect(lines.filter(({ problem }) => problem !== null)).toEqual([]);
  expect(lines.length).toBeGreaterThanOrEqual(atLeast);
}

describe("with one setting changed, fal's client", () => {
  it('for JavaScript works', async () => {
    expectNoProblem(await runNode('calls.mjs', javaScript()), 17);
  }, 300_000);

  it('for Python works', async () => {
    expectNoProblem(await runPython('calls.py', { FAL_KEY: key, proxyUrl: proxy.url }), 15);
  }, 900_000);
});

it("with one setting changed, the samples of fal's quickstarts work", async () => {
  expectNoProblem(await runNode('quickstart.mjs', javaScript()), 5);
  expectNoProblem(await runPython('quickstart.py', { FAL_KEY: key, proxyUrl: proxy.url }), 5);
}, 900_000);
