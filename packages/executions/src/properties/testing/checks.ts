import { auditLedger } from '@holdfast/db/audit/audit';
import { getBalance } from '@holdfast/db/balances';
import { getSpendLimits } from '@holdfast/db/spendLimits';
import type { RecordedOutcome } from '@holdfast/domain/outcome';
import { expect } from '@jest/globals';
import { money, units } from './amounts.ts';
import { expectedHistory, type History, readHistories } from './histories.ts';
import { apiKeyId, cappedOrganizationId, type Run } from './run.ts';

/** Checks a run in which every execution has ended against the results of its processes. */
export async function checkRun(run: Run): Promise<void> {
  const histories = await readHistories(run.processes.owner, run.organizationIds);
  expect(histories).toEqual(histories.map(expectedHistory));
  checkAccepted(run, histories);
  checkEndings(run, histories);
  checkCosts(run, histories);
  for (const [organization, id] of run.organizationIds.entries()) {
    const own = histories.filter(({ organizationId }) => organizationId === id);
    await checkBalance(run, id, own);
    await checkLimits(run, organization, own);
  }
  await checkAudit(run, histories);
  await checkCap(run);
}

/** With the policy `cap` a balance is never negative. */
async function checkCap(run: Run): Promise<void> {
  const { rows } = await run.processes.owner.pool.query(
    'SELECT sequence, kind, available_after FROM transfers WHERE organization_id = $1 AND available_after < 0',
    [cappedOrganizationId(run)],
  );
  expect(rows).toEqual([]);
}

/** Looks at this run only: the errors of another run stay in the database. */
async function checkAudit({ processes, organizationIds }: Run, histories: History[]): Promise<void> {
  const own = new Set([...organizationIds, ...histories.map(({ id }) => id)]);
  const breaches = await auditLedger(processes.owner);
  expect(breaches.filter(({ id }) => own.has(id))).toEqual([]);
}

/** Exactly the accepted executions exist, one per idempotency key. */
function checkAccepted({ accepted }: Run, histories: History[]): void {
  const created = accepted.filter(({ replayed }) => !replayed).map(({ id }) => id);
  expect(histories.map(({ id }) => id)).toEqual(created.toSorted());
  const byKey = Map.groupBy(
    accepted.filter(({ idempotencyKey }) => idempotencyKey !== null),
    ({ organizationId, idempotencyKey }) => `${organizationId} ${idempotencyKey}`,
  );
  for (const responses of byKey.values()) {
    expect(new Set(responses.map(({ id }) => id)).size).toBe(1);
    expect(responses.filter(({ replayed }) => !replayed)).toHaveLength(1);
  }
}

/** Exactly one process reported the ending of each execution. */
function checkEndings({ processes, acceptedCancels, refusedCancels }: Run, histories: History[]): void {
  // Sweeps also end executions of a failed run.
  const own = new Set(histories.map(({ id }) => id));
  const reported = processes.endings
    .filter(({ executionId }) => own.has(executionId))
    .map(({ executionId, status }) => `${executionId} ${status}`);
  expect(reported.toSorted()).toEqual(histories.map(({ id, status }) => `${id} ${status}`));
  const cancelled = new Set(histories.filter(({ status }) => status === 'CANCELLED').map(({ id }) => id));
  expect(acceptedCancels.filter((id) => !cancelled.has(id))).toEqual([]);
  expect(refusedCancels.filter((id) => cancelled.has(id))).toEqual([]);
}

/** Each charge and write-off matches an outcome that was recorded for this execution. */
function checkCosts({ executions }: Run, histories: History[]): void {
  const recorded = new Map(executions.map(({ id, outcomes }) => [id, outcomes.map(textOf)]));
  const unmatched = histories.filter(
    (history) =>
      (history.status === 'COMPLETED' || history.status === 'FAILED') &&
      !recorded.get(history.id)?.includes(priceOf(history)),
  );
  expect(unmatched).toEqual([]);
}

const priceOf = ({ cost, writtenOff, reviewed }: History) =>
  cost === null ? 'failed' : (reviewed ?? money(units(cost) + units(writtenOff ?? '0')));
const textOf = (outcome: RecordedOutcome) => (outcome.ok ? outcome.cost : 'failed');

const total = (amounts: string[]) => amounts.reduce((sum, amount) => sum + units(amount), 0n);
const costs = (histories: History[]) => total(histories.flatMap(({ cost }) => cost ?? []));

/** The balance is all credits less all charges, and nothing is held. */
async function checkBalance(run: Run, organizationId: string, histories: History[]): Promise<void> {
  const adjustments = [...run.adjusted.values()].filter((one) => one.organizationId === organizationId);
  const credited = units(run.openingBalance) + total(adjustments.map(({ amount }) => amount));
  const balance = await getBalance(run.processes.owner, organizationId);
  expect(balance).toEqual({ available: expect.any(String), held: '0.00000000' });
  expect(units(balance?.available ?? '')).toBe(credited - costs(histories));
}

async function checkLimits(run: Run, organization: number, histories: History[]): Promise<void> {
  const limits = await getSpendLimits(run.processes.owner, [
    ...run.organizationIds.slice(organization, organization + 1),
    apiKeyId(run, organization, 0),
  ]);
  for (const [scopeId, { spent }] of limits) {
    const own = histories.filter((history) => [history.organizationId, history.apiKeyId].includes(scopeId));
    expect(units(spent)).toBe(costs(own));
  }
}
