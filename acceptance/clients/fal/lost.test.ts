import { closing } from '@holdfast/testkit/closing';
import { beforeAll, it } from '@jest/globals';
import { stackOfTests } from '../../stack/stackOfTests.ts';
import type { Drops } from '../droppingProxy.ts';
import { expectPaidOnce, lostCalls } from '../paidOnce.ts';
import { startTlsProxy, tlsHost } from '../tlsProxy.ts';
import { installNode, runNode, runPython } from './programs.ts';

const stack = await stackOfTests({ COMPATIBLE_APIS: 'fal', FAL_HOSTS: tlsHost, TRUST_PROXY: '1' });
const isCreate: Drops['isCreate'] = ({ method }) => method === 'POST';
const CALLS = String(lostCalls);

beforeAll(installNode, 600_000);

it("a call that fal's client for JavaScript sends four times is one execution and one charge", async () => {
  await expectPaidOnce(stack, { drops: 3, isCreate }, ({ url, apiKey }) =>
    runNode('repeats.mjs', { FAL_KEY: apiKey, FAL_PROXY_URL: `${url}/v1/fal/proxy`, CALLS, WIDTH: '12' }),
  );
}, 600_000);

it("a call that fal's client for Python sends four times is one execution and one charge", async () => {
  await expectPaidOnce(stack, { drops: 3, isCreate }, async ({ url, apiKey }) => {
    const { url: proxyUrl } = closing(await startTlsProxy(url));
    return await runPython('repeats.py', { FAL_KEY: apiKey, proxyUrl, CALLS, WIDTH: '4' });
  });
}, 900_000);
