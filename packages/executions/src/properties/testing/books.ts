import { auditLedger } from '@holdfast/db/audit/audit';
import { getBalance } from '@holdfast/db/balances';
import { getSpendLimits } from '@holdfast/db/spendLimits';
import type { RecordedOutcome } from '@holdfast/domain/outcome';
import { expect } from '@jest/globals';
import { money, units } from './amounts.ts';
import { apiKeyId, cappedOrganizationId, type Run } from './run.ts';
import { asItShouldBe, readStories, type Story } from './stories.ts';

/** What must hold of a run whatever came first, judged by what its processes answered. Every execution has ended. */
export async function checkBooks(run: Run): Promise<void> {
  const stories = await readStories(run.processes.owner, run.organizationIds);
  expect(stories).toEqual(stories.map(asItShouldBe));
  checkAccepted(run, stories);
  checkEndings(run, stories);
  checkCosts(run, stories);
  for (const [organization, id] of run.organizationIds.entries()) {
    const own = stories.filter(({ organizationId }) => organizationId === id);
    await checkBalance(run, id, own);
    await checkLimits(run, organization, own);
  }
  await checkInvariants(run, stories);
  await checkCap(run);
}

/** With `cap` from the beginning a balance never goes below zero. */
async function checkCap(run: Run): Promise<void> {
  const { rows } = await run.processes.owner.pool.query(
    'SELECT sequence, kind, available_after FROM transfers WHERE organization_id = $1 AND available_after < 0',
    [cappedOrganizationId(run)],
  );
  expect(rows).toEqual([]);
}

/** Of this run: what another has broken stays in the database. */
async function checkInvariants({ processes, organizationIds }: Run, stories: Story[]): Promise<void> {
  const own = new Set([...organizationIds, ...stories.map(({ id }) => id)]);
  const breaches = await auditLedger(processes.owner);
  expect(breaches.filter(({ id }) => own.has(id))).toEqual([]);
}

/** What was accepted is there, once per idempotency key; nothing else is. */
function checkAccepted({ accepted }: Run, stories: Story[]): void {
  const created = accepted.filter(({ replayed }) => !replayed).map(({ id }) => id);
  expect(stories.map(({ id }) => id)).toEqual(created.toSorted());
  const byKey = Map.groupBy(
    accepted.filter(({ idempotencyKey }) => idempotencyKey !== null),
    ({ organizationId, idempotencyKey }) => `${organizationId} ${idempotencyKey}`,
  );
  for (const answers of byKey.values()) {
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
  }
}

/** One process, and no other, says of each execution that it has ended it, and how. */
function checkEndings({ processes, acceptedCancels, refusedCancels }: Run, stories: Story[]): void {
  // Sweeps end what a run that has failed left open, too.
  const own = new Set(stories.map(({ id }) => id));
  const said = processes.endings
    .filter(({ executionId }) => own.has(executionId))
    .map(({ executionId, status }) => `${executionId} ${status}`);
  expect(said.toSorted()).toEqual(stories.map(({ id, status }) => `${id} ${status}`));
  const cancelled = new Set(stories.filter(({ status }) => status === 'CANCELLED').map(({ id }) => id));
  expect(acceptedCancels.filter((id) => !cancelled.has(id))).toEqual([]);
  expect(refusedCancels.filter((id) => cancelled.has(id))).toEqual([]);
}

/** What was charged and written off is what somebody has recorded for this very run. */
function checkCosts({ executions }: Run, stories: Story[]): void {
  const recorded = new Map(executions.map(({ id, outcomes }) => [id, outcomes.map(told)]));
  const unheard = stories.filter(
    (story) =>
      (story.status === 'COMPLETED' || story.status === 'FAILED') &&
      !recorded.get(story.id)?.includes(priceOf(story)),
  );
  expect(unheard).toEqual([]);
}

const priceOf = ({ cost, writtenOff }: Story) =>
  cost === null ? 'failed' : money(units(cost) + units(writtenOff ?? '0'));
const told = (outcome: RecordedOutcome) => (outcome.ok ? outcome.cost : 'failed');

const total = (amounts: string[]) => amounts.reduce((sum, amount) => sum + units(amount), 0n);
const costs = (stories: Story[]) => total(stories.flatMap(({ cost }) => cost ?? []));

/** What came in, less what was charged, is what is there; nothing is held, for all has ended. */
async function checkBalance(run: Run, organizationId: string, stories: Story[]): Promise<void> {
  const adjustments = [...run.adjusted.values()].filter((one) => one.organizationId === organizationId);
  const came = units(run.openingBalance) + total(adjustments.map(({ amount }) => amount));
  const balance = await getBalance(run.processes.owner, organizationId);
  expect(balance).toEqual({ available: expect.any(String), held: '0.00000000' });
  expect(units(balance?.available ?? '')).toBe(came - costs(stories));
}

async function checkLimits(run: Run, organization: number, stories: Story[]): Promise<void> {
  const limits = await getSpendLimits(run.processes.owner, [
    ...run.organizationIds.slice(organization, organization + 1),
    apiKeyId(run, organization, 0),
  ]);
  for (const [scopeId, { spent }] of limits) {
    const own = stories.filter((story) => [story.organizationId, story.apiKeyId].includes(scopeId));
    expect(units(spent)).toBe(costs(own));
  }
}
