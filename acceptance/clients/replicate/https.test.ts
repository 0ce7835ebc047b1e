import { servicePort } from '@holdfast/local/launch/ports';
import { closing } from '@holdfast/testkit/closing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { stackOfTests } from '../../stack/stackOfTests.ts';
import type { Line } from '../programs.ts';
import { startTlsProxy, trustingTls } from '../tlsProxy.ts';
import { installNode, type Remote, runNode, runPython } from './programs.ts';

const port = await servicePort();
const url = `http://127.0.0.1:${port}`;
const { httpsUrl: publicUrl } = closing(await startTlsProxy(url));
const settings = {
  COMPATIBLE_APIS: 'replicate',
  PORT: String(port),
  PUBLIC_URL: publicUrl,
  CALLBACK_URL: url,
};
const stack = await stackOfTests({ ...settings, TRUST_PROXY: '1' });
let remote: Remote;

beforeAll(async () => {
  await installNode();
  const { apiKey } = await stack.newCustomer();
  remote = { baseUrl: `${publicUrl}/v1/replicate`, apiKey };
}, 600_000);

const read = ['run', 'output without a key', 'stream'].map((name) => ({ name, problem: null }));

describe('a server with https has its outputs at https URLs, which are read', () => {
  it("by Replicate's client for Node", async () => {
    expect<Line[]>(await runNode('https.mjs', remote, trustingTls())).toEqual(read);
  }, 120_000);

  it("by Replicate's client for Python", async () => {
    const lines = await runPython('https.py', remote, trustingTls());
    if (lines !== null) expect(lines).toEqual(read);
  }, 900_000);
});
