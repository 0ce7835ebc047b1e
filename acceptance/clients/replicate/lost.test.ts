import { beforeAll, it } from '@jest/globals';
import { stackOfTests } from '../../stack/stackOfTests.ts';
import type { Drops } from '../droppingProxy.ts';
import { expectPaidOnce, lostCalls } from '../paidOnce.ts';
import { installNode, runNode, runPython } from './programs.ts';

const stack = await stackOfTests({ COMPATIBLE_APIS: 'replicate' });

beforeAll(installNode, 600_000);

async function expectAllPaidOnce(
  run: typeof runNode | typeof runPython,
  file: string,
  losses: Omit<Drops, 'isCreate'>,
): Promise<void> {
  const isCreate: Drops['isCreate'] = ({ method, url }) =>
    method === 'POST' && !!url?.endsWith('/predictions');
  await expectPaidOnce(stack, { ...losses, isCreate }, ({ url, apiKey }) =>
    run(file, { baseUrl: `${url}/v1/replicate`, apiKey }, { CALLS: String(lostCalls), WIDTH: '6' }),
  );
}

it("a call that Replicate's client for JavaScript sends six times is one execution and one charge", async () => {
  await expectAllPaidOnce(runNode, 'repeats.mjs', { drops: 5 });
}, 600_000);

it("a call that a user of Replicate's client for Python repeats is one execution and one charge", async () => {
  await expectAllPaidOnce(runPython, 'repeats.py', { drops: 2, kinds: 1 });
}, 900_000);
