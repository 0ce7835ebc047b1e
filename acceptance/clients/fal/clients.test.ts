import type { ModelFile } from '@holdfast/domain/modelDefinition';
import { closing } from '@holdfast/testkit/closing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { stackOfTests } from '../../stack/stackOfTests.ts';
import type { Line } from '../programs.ts';
import { installNode, runNode, runPython } from './programs.ts';
import { startTlsProxy, tlsHost } from './tlsProxy.ts';

const model = (slug: string, sandboxModel: string, more: Partial<ModelFile>): ModelFile => ({
  slug,
  provider: { adapter: 'cog', connection: 'sandbox', model: sandboxModel },
  input_schema: { type: 'object' },
  price: { per_run: '0.01' },
  output: { kind: 'text' },
  ...more,
});

/** Beside the sandbox models: one with a longer name, and one without any but its own. */
const models = [
  model('flux', 'sandbox-image', { aliases: ['sandbox/flux/dev'], output: { kind: 'images' } }),
  model('plain', 'sandbox-text', {}),
];
const settings = { COMPATIBLE_APIS: 'fal', FAL_HOSTS: tlsHost, TRUST_PROXY: '1' };
const stack = await stackOfTests(settings, models);
const proxy = closing(await startTlsProxy(stack.baseUrl));
let key: string;

beforeAll(async () => {
  await installNode();
  key = (await stack.newCustomer()).apiKey;
}, 600_000);

function expectNoProblem(lines: Line[] | null, atLeast: number): void {
  if (lines === null) return;
  expect(lines.filter(({ problem }) => problem !== null)).toEqual([]);
  expect(lines.length).toBeGreaterThanOrEqual(atLeast);
}

describe("with one setting changed, fal's client", () => {
  it('for JavaScript works', async () => {
    const env = { FAL_KEY: key, FAL_PROXY_URL: `${stack.baseUrl}/v1/fal/proxy` };
    expectNoProblem(await runNode('calls.mjs', env), 15);
  }, 300_000);

  it('for Python works', async () => {
    expectNoProblem(await runPython('calls.py', { FAL_KEY: key, proxyUrl: proxy.url }), 13);
  }, 900_000);
});
