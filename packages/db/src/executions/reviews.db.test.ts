import { newId } from '@holdfast/domain/ids';
import { createTestOrganization, insertTestExecution } from '@holdfast/testkit/testData';
import { openTestRoles } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { recordOutcomes } from '../attempts/outcomes.ts';
import { auditLedger } from '../audit/audit.ts';
import { adjustBalance, getBalance, topUp } from '../balances.ts';
import { timeFromNow } from '../statement.ts';
import { completeExecutions } from './endings.ts';
import { type Decision, decideReview, getReview, listReviews } from './reviews.ts';
import { startExecutions } from './start.ts';

const { owner, ledger, gateway, close } = await openTestRoles();
let organizationId: string;
let soon: Date;

afterAll(async () => {
  expect(await auditLedger(owner)).toEqual([]);
  await close();
});

beforeEach(async () => {
  organizationId = await createTestOrganization(owner, '50.6');
  soon = await timeFromNow(owner, 60_000);
});

/** A run held at 0.6 that reported 100: it was charged 0.6, which leaves 50 available. */
async function reviewed(reported = '100.00000000'): Promise<string> {
  const id = newId('exec');
  await insertTestExecution(owner, {
    id,
    organizationId,
    apiKeyId: 'key',
    idempotencyKey: id,
    requestHash: 'h',
    timeoutS: 60,
  });
  const [started] = await startExecutions(owner, [{ id, connection: 'sandbox', target: 'm' }], 30);
  if (!started) throw new Error('not started');
  const outcome = { ok: true, output: {}, inputTokens: 1, outputTokens: 2, cost: reported } as const;
  await recordOutcomes(owner, [{ attemptId: started.attemptId, outcome, state: 'succeeded' }]);
  await completeExecutions(owner, [started.attemptId]);
  return id;
}

const decide = (executionId: string, change: Partial<Decision> = {}, db = ledger) =>
  decideReview(db, {
    executionId,
    kind: 'accept',
    amount: '20',
    reason: 'as agreed',
    decidedBy: 'ada',
    idempotencyKey: newId('req'),
    until: soon,
    ...change,
  });

const available = async () => Number((await getBalance(owner, organizationId))?.available);

async function corrections(): Promise<string[]> {
  const { rows } = await owner.pool.query<{ row: string }>(
    `SELECT concat_ws(' ', debit_account, amount, reason) AS row FROM transfers
     WHERE organization_id = $1 AND kind = 'correction' ORDER BY sequence`,
    [organizationId],
  );
  return rows.map(({ row }) => row);
}

describe('a review', () => {
  it('is accepted once, however many operators do so at once, and charged by one correction', async () => {
    const id = await reviewed();
    const results = await Promise.all(Array.from({ length: 20 }, () => decide(id)));
    expect(results.filter(({ outcome }) => outcome === 'decided')).toEqual([
      { outcome: 'decided', isReplay: false },
    ]);
    expect(results.filter(({ outcome }) => outcome === 'already decided')).toHaveLength(19);
    expect(await corrections()).toEqual([`available 20.00000000 ${id}: as agreed`]);
    expect(await getReview(gateway, id)).toMatchObject({
      state: 'accepted',
      charged: '20.00000000',
      decidedBy: 'ada',
      reason: 'as agreed',
      decidedAt: expect.any(Date),
      hold: '0.60000000',
      reportedCost: '100.00000000',
    });
  });

  it('has one result for requests with the same key, at once and for a job that runs twice', async () => {
    const id = await reviewed();
    const same = { idempotencyKey: 'k' };
    const twins = await Promise.all(Array.from({ length: 10 }, () => decide(id, same)));
    expect(twins.filter((one) => one.outcome === 'decided' && one.isReplay)).toHaveLength(9);
    expect(await decide(id, { ...same, until: new Date(0) })).toEqual({ outcome: 'decided', isReplay: true });
    expect(await available()).toBe(30);
  });

  it('is accepted or written off, never both', async () => {
    const id = await reviewed();
    const kinds = ['accept', 'write_off'] as const;
    const results = await Promise.all(kinds.map((kind) => decide(id, { kind, amount: null })));
    // The whole rest of 99.4 is more than the 50 that are available: an accept decides nothing.
    expect(results.map(({ outcome }) => outcome)).toEqual([
      expect.stringMatching(/insufficient|already decided/),
      'decided',
    ]);
    expect(await getReview(gateway, id)).toMatchObject({ state: 'written_off', charged: null });
    expect(await corrections()).toEqual([]);
    expect(await decide(id)).toEqual({ outcome: 'already decided' });
  });

  it('stays open when the balance does not cover the amount, or it is more than what was reported', async () => {
    const id = await reviewed();
    expect(await decide(id, { amount: null })).toEqual({ outcome: 'insufficient', available: '50.00000000' });
    expect(await decide(id, { amount: '99.40000001' })).toEqual({ outcome: 'above the reported cost' });
    await topUp(owner, { organizationId, amount: '49.4', reason: null, idempotencyKey: null });
    expect(await decide(id, { amount: null })).toEqual({ outcome: 'decided', isReplay: false });
    expect(await available()).toBe(0);
  });

  it('of a figure that no balance could hold is decided too', async () => {
    const id = await reviewed(`1${'0'.repeat(400)}`);
    expect(await decide(id, { amount: null })).toMatchObject({ outcome: 'insufficient' });
    expect(await decide(id, { amount: '1' })).toMatchObject({ outcome: 'decided' });
  });

  it.each(['accept', 'write_off'] as const)('is not decided after the time limit: %s', async (kind) => {
    const id = await reviewed();
    expect(await decide(id, { kind, until: new Date(0) })).toEqual({ outcome: 'too late' });
    expect(await getReview(gateway, id)).toMatchObject({ state: 'open', decidedAt: null });
    expect(await available()).toBe(50);
  });

  it('is not charged under a key that a correction of the organization has', async () => {
    const id = await reviewed();
    const correction = { kind: 'correction', amount: '-1', reason: 'a mistake' } as const;
    await adjustBalance(ledger, { organizationId, ...correction, idempotencyKey: 'used' });
    expect(await decide(id, { idempotencyKey: 'used' })).toEqual({ outcome: 'key used' });
    expect(await available()).toBe(49);
  });

  it('is decided by the ledger only, and there must be one', async () => {
    const id = await reviewed();
    await expect(decide(id, { kind: 'write_off' }, gateway)).rejects.toThrow('permission denied');
    expect(await decide('exec_none')).toEqual({ outcome: 'no review' });
  });
});

describe('the list of reviews', () => {
  it('has those of a state and an organization, the newest first, page by page', async () => {
    const [first, second, third] = [await reviewed(), await reviewed(), await reviewed()];
    await decide(second, { kind: 'write_off' });
    const page = async (filter: Parameters<typeof listReviews>[1], limit = 10) =>
      (await listReviews(gateway, { organizationId, ...filter }, limit)).map((one) => one.executionId);
    expect(await page({})).toEqual([third, second, first]);
    expect(await page({ state: 'open' })).toEqual([third, first]);
    expect(await page({ state: 'written_off' })).toEqual([second]);
    expect(await page({ state: 'open' }, 1)).toEqual([third]);
    expect(await page({ state: 'open', cursor: third })).toEqual([first]);
    expect(await page({ organizationId: 'org_none' })).toEqual([]);
  });
});
