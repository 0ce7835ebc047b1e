import { closing } from '@holdfast/testkit/closing';
import { until } from '@holdfast/testkit/until';
import { expect } from '@jest/globals';
import type { Stack } from '../stack/stack.ts';
import { type Drops, startDroppingProxy } from './droppingProxy.ts';
import type { Line } from './programs.ts';

export const lostCalls = Number(process.env['LOST_CALLS'] ?? 60);
const price = 0.01;

/**
 * Lets a program make calls of a sandbox model through a proxy that loses responses. Each line that it prints has its prompt and
 * its output. Counted at the provider, in the executions, the balance and the journal.
 */
export async function expectPaidOnce(
  { db, providerCalls, baseUrl, newCustomer }: Stack,
  losses: Drops,
  run: (at: { url: string; apiKey: string }) => Promise<Line[] | null>,
): Promise<void> {
  const { apiKey, organizationId, api } = await newCustomer();
  const proxy = closing(await startDroppingProxy(baseUrl, losses));
  const before = providerCalls.length;
  const lines = await run({ url: proxy.url, apiKey });
  if (lines === null) return;
  const lost = [...proxy.lost.values()].reduce((sum, one) => sum + one, 0);
  console.info(`${lines.length} calls; ${lost} responses lost: ${JSON.stringify([...proxy.lost])}`);
  expect(lines.filter(({ output, prompt }) => !String(output).includes(String(prompt)))).toEqual([]);
  expect([lines.length, lost]).toEqual([lostCalls, lostCalls * losses.drops]);

  const all = () => db.prisma.execution.findMany({ where: { organizationId } });
  await until('all have ended', async () => (await all()).every(({ completedAt }) => completedAt), 60_000);
  const executions = await all();
  const prompts = (of: readonly unknown[]) => of.map((one) => (one as { prompt: string }).prompt).sort();
  expect(prompts(executions.map(({ input }) => input))).toEqual(prompts(lines));
  expect(executions.filter(({ status, cost }) => status !== 'COMPLETED' || !cost)).toEqual([]);
  const runs = providerCalls
    .slice(before)
    .filter((one) => /^(POST|PUT) \S*\/predictions(\/[^/]+)?$/.test(one));
  expect(runs).toHaveLength(lostCalls);
  const { available, held } = (await api.get('/v1/balance')).body;
  expect([Number(available), Number(held)]).toEqual([Number((100 - lostCalls * price).toFixed(2)), 0]);
  const sql = `SELECT count(*)::int AS settled FROM transfers WHERE organization_id = $1 AND kind = 'settle'`;
  expect((await db.pool.query(sql, [organizationId])).rows).toEqual([{ settled: lostCalls }]);
}
