import { completeExecutions, failExecutions } from '@holdfast/db/executions/endings';
import { startExecutions } from '@holdfast/db/executions/start';
import { type MoneyFilter, type MoneyGrouping, readMoney } from '@holdfast/db/money';
import { dropOldProviderHours, sumProviderCosts } from '@holdfast/db/providerCosts';
import type { RecordedOutcome } from '@holdfast/domain/outcome';
import { createLogger } from '@holdfast/kit/logger';
import { createTestOrganization } from '@holdfast/testkit/testData';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, describe, expect, it } from '@jest/globals';
import { openAttemptRecorder } from './attemptRecorder.ts';
import { openCreator } from './creator.ts';
import { nowhere, publishChanges } from './testing/nowhere.ts';

const { db, close } = await openTestDatabase(4);
const log = createLogger('test', 'silent');
const recorder = openAttemptRecorder({ db, settle: nowhere, publishChanges, log });
const organizationId = await createTestOrganization(db, '100');

afterAll(close);

const sold: RecordedOutcome = { ok: true, output: {}, inputTokens: 0, outputTokens: 0, cost: '0.10' };
const failed: RecordedOutcome = { ok: false, code: 'GENERATION_FAILED', message: 'It failed.' };

/** The outcome of a new run, settled unless `isOpen`. */
async function run(
  model: string,
  connection: string,
  outcome: RecordedOutcome,
  providerCost: string | null,
  isOpen = false,
): Promise<() => Promise<void>> {
  const { record } = await openCreator({ db, dispatch: nowhere }).create({
    organizationId,
    apiKeyId: 'key_test',
    idempotencyKey: null,
    requestHash: null,
    model,
    input: {},
    metadata: null,
    webhookUrl: null,
    estimatedCost: '0.50000000',
    timeoutS: 600,
  });
  const [started] = await startExecutions(db, [{ id: record.id, connection, target: 'm' }], 30);
  const attemptId = String(started?.attemptId);
  await recorder.recordOutcome(attemptId, outcome, outcome.ok ? 'succeeded' : 'failed', { providerCost });
  const settle = async () => {
    await (outcome.ok ? completeExecutions : failExecutions)(db, [attemptId]);
  };
  if (!isOpen) await settle();
  return settle;
}

const dayMs = 86_400_000;

async function money(groupBy: MoneyGrouping, filter: MoneyFilter = {}, unit: 'hour' | 'day' = 'hour') {
  const [from, to] = [new Date(Date.now() - 2 * dayMs), new Date(Date.now() + dayMs)];
  const rows = await readMoney(db, { period: { unit, from, to }, groupBy, filter });
  return rows.map(({ group, ...row }) => [
    group,
    row.executions,
    Number(row.revenue),
    Number(row.knownRevenue),
    Number(row.cost),
    row.lostRuns,
    Number(row.lost),
  ]);
}

describe('what runs cost at their providers', () => {
  it('is summed up once for each run whose execution has ended, by several ledgers at once', async () => {
    await run('painter', 'fast', sold, '0.04');
    await run('painter', 'cheap', sold, '0.01');
    await run('painter', 'cheap', failed, '0.02');
    await run('writer', 'own', sold, null);
    const settleOpen = await run('painter', 'fast', sold, '0.04', true);

    const sums = await Promise.all([sumProviderCosts(db), sumProviderCosts(db)]);
    expect(sums[0] + sums[1]).toBe(3);
    expect(await money('model')).toEqual([
      ['painter', 2, 0.2, 0.2, 0.05, 1, 0.02],
      ['writer', 1, 0.1, 0, 0, 0, 0],
    ]);
    await settleOpen();
    expect([await sumProviderCosts(db), await sumProviderCosts(db)]).toEqual([1, 0]);
  });

  it.each(['hour', 'day'] as const)('is shown beside what clients paid, by the %s', async (unit) => {
    expect(await money('provider', {}, unit)).toEqual([
      ['fast', 2, 0.2, 0.2, 0.08, 0, 0],
      ['cheap', 1, 0.1, 0.1, 0.01, 1, 0.02],
      [null, 1, 0.1, 0, 0, 0, 0],
    ]);
    expect(await money('organization', {}, unit)).toEqual([[organizationId, 4, 0.4, 0.3, 0.09, 1, 0.02]]);
    expect(await money('model', { provider: 'cheap' }, unit)).toEqual([
      ['painter', 1, 0.1, 0.1, 0.01, 1, 0.02],
    ]);
    expect(await money('organization', { organizationId: 'org_other' }, unit)).toEqual([]);
    const [[time, ...sums] = []] = await money('time', { model: 'painter' }, unit);
    expect(String(time)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:00:00Z$/);
    expect(sums).toEqual([3, 0.3, 0.3, 0.09, 1, 0.02]);
  });

  it('is kept by the day for good, and by the hour for 40 days', async () => {
    await db.pool.query("UPDATE provider_sums SET starts_at = starts_at - interval '41 days'");
    await dropOldProviderHours(db);
    const { rows } = await db.pool.query('SELECT DISTINCT unit FROM provider_sums');
    expect(rows).toEqual([{ unit: 'day' }]);
  });
});
