import { closing } from '@holdfast/testkit/closing';
import { until } from '@holdfast/testkit/until';
import { beforeAll, expect, it } from '@jest/globals';
import { stackOfTests } from '../../stack/stackOfTests.ts';
import type { Line } from '../programs.ts';
import { startDroppingProxy } from './droppingProxy.ts';
import { installNode, runNode, runPython } from './programs.ts';

const calls = Number(process.env['LOST_CALLS'] ?? 60);
const price = 0.01;

const stack = await stackOfTests({ COMPATIBLE_APIS: 'replicate' });
const { db, providerCalls } = stack;

beforeAll(installNode, 600_000);

/** Counted at the provider, in the executions, the balance and the journal. */
async function expectPaidOnce(
  run: typeof runNode | typeof runPython,
  file: string,
  { drops, kinds }: { drops: number; kinds: number },
): Promise<void> {
  const { apiKey, organizationId, api } = await stack.newCustomer();
  const proxy = closing(await startDroppingProxy(stack.baseUrl, drops, kinds));
  const before = providerCalls.length;
  const lines = await run(
    file,
    { baseUrl: `${proxy.url}/v1/replicate`, apiKey },
    { CALLS: String(calls), WIDTH: '6' },
  );
  if (lines === null) return;
  const lost = [...proxy.lost.values()].reduce((sum, one) => sum + one, 0);
  console.info(`${lines.length} calls; ${lost} responses lost: ${JSON.stringify([...proxy.lost])}`);
  expect(lines.filter(({ output, prompt }: Line) => !String(output).includes(String(prompt)))).toEqual([]);
  expect([lines.length, lost]).toEqual([calls, calls * drops]);

  const all = () => db.prisma.execution.findMany({ where: { organizationId } });
  await until('all have ended', async () => (await all()).every(({ completedAt }) => completedAt), 60_000);
  const executions = await all();
  const prompts = (of: readonly unknown[]) => of.map((one) => (one as { prompt: string }).prompt).sort();
  expect(prompts(executions.map(({ input }) => input))).toEqual(prompts(lines));
  expect(executions.filter(({ status, cost }) => status !== 'COMPLETED' || !cost)).toEqual([]);
  const runs = providerCalls
    .slice(before)
    .filter((one) => /^(POST|PUT) \S*\/predictions(\/[^/]+)?$/.test(one));
  expect(runs).toHaveLength(calls);
  const { available, held } = (await api.get('/v1/balance')).body;
  expect([Number(available), Number(held)]).toEqual([Number((100 - calls * price).toFixed(2)), 0]);
  const sql = `SELECT count(*)::int AS settled FROM transfers WHERE organization_id = $1 AND kind = 'settle'`;
  expect((await db.pool.query(sql, [organizationId])).rows).toEqual([{ settled: calls }]);
}

it("a call that Replicate's client for JavaScript sends six times is one execution and one charge", async () => {
  await expectPaidOnce(runNode, 'repeats.mjs', { drops: 5, kinds: 3 });
}, 600_000);

it("a call that a user of Replicate's client for Python repeats is one execution and one charge", async () => {
  await expectPaidOnce(runPython, 'repeats.py', { drops: 2, kinds: 1 });
}, 900_000);
