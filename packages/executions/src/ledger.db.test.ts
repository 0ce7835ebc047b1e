import { recordOutcomes } from '@holdfast/db/attempts/outcomes';
import { auditLedger } from '@holdfast/db/audit/audit';
import { getBalance } from '@holdfast/db/balances';
import {
  cancelExecution,
  completeExecutions,
  completeWithinHold,
  expireExecutions,
  failExecutions,
} from '@holdfast/db/executions/endings';
import { getExecution } from '@holdfast/db/executions/read';
import { startExecutions } from '@holdfast/db/executions/start';
import { updateOrganization } from '@holdfast/db/organizations';
import { unsettledAttempts } from '@holdfast/db/sweeps';
import type { OveragePolicy } from '@holdfast/domain/ledger';
import type { RecordedOutcome } from '@holdfast/domain/outcome';
import { createTestOrganization } from '@holdfast/testkit/testData';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, describe, expect, it } from '@jest/globals';
import { type Created, type CreateRequest, openCreator } from './creator.ts';
import { nowhere } from './testing/nowhere.ts';

const { db, close } = await openTestDatabase(10);

const creator = openCreator({ db, dispatch: nowhere });

afterAll(async () => {
  expect(await auditLedger(db)).toEqual([]);
  await close();
});

function request(organizationId: string, change: Partial<CreateRequest> = {}): CreateRequest {
  return {
    organizationId,
    apiKeyId: 'key_test',
    idempotencyKey: null,
    requestHash: 'a hash',
    model: 'a-model',
    input: { prompt: 'hello' },
    metadata: null,
    webhookUrl: null,
    estimatedCost: '0.50000000',
    timeoutS: 600,
    ...change,
  };
}

async function startOne(created: Created): Promise<string> {
  const [started] = await startExecutions(
    db,
    [{ id: created.record.id, connection: 'sandbox', target: 'm' }],
    30,
  );
  if (!started) throw new Error('not started');
  return started.attemptId;
}

const success = (cost: string): RecordedOutcome => ({
  ok: true,
  output: { text: 'hi' },
  inputTokens: 1,
  outputTokens: 2,
  cost,
});

const failure: RecordedOutcome = { ok: false, code: 'GENERATION_FAILED', message: 'It failed.' };

async function run(created: Created, outcome: RecordedOutcome): Promise<void> {
  const attemptId = await startOne(created);
  await recordOutcomes(db, [{ attemptId, outcome, state: outcome.ok ? 'succeeded' : 'failed' }]);
  await (outcome.ok ? completeExecutions : failExecutions)(db, [attemptId]);
}

async function balance(organizationId: string): Promise<{ available: number; held: number }> {
  const found = await getBalance(db, organizationId);
  return { available: Number(found?.available), held: Number(found?.held) };
}

describe('a hold', () => {
  it('is at least 0.01', async () => {
    const organizationId = await createTestOrganization(db, '10');
    const { record } = await creator.create(request(organizationId, { estimatedCost: '0.001' }));
    expect(record.hold_amount).toBe('0.01');
  });

  it('is refused when available does not cover it: of 50 concurrent ones exactly 20 fit the balance', async () => {
    const organizationId = await createTestOrganization(db, '12.5');
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, () => creator.create(request(organizationId))),
    );
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(30);
    expect(refused.every(({ reason }) => reason.code === 'INSUFFICIENT_BALANCE')).toBe(true);
    expect(await balance(organizationId)).toEqual({ available: 0.5, held: 12 });
  });

  it('is placed after a larger one that was refused in the same batch', async () => {
    const organizationId = await createTestOrganization(db, '1');
    const results = await Promise.allSettled([
      creator.create(request(organizationId, { estimatedCost: '5' })),
      creator.create(request(organizationId, { estimatedCost: '0.5' })),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  });
});

describe('an idempotency key', () => {
  it('creates one execution and one hold for 50 concurrent requests from two processes', async () => {
    const organizationId = await createTestOrganization(db, '100');
    const other = openCreator({ db, dispatch: nowhere });
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        (index % 2 === 0 ? creator : other).create(request(organizationId, { idempotencyKey: 'one' })),
      ),
    );
    expect(new Set(results.map(({ record }) => record.id)).size).toBe(1);
    expect(results.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(await balance(organizationId)).toEqual({ available: 99.4, held: 0.6 });
  });

  it('is not used up by a refusal and belongs to one organization', async () => {
    const poor = await createTestOrganization(db, '0.1');
    const rich = await createTestOrganization(db, '10');
    const keyed = { idempotencyKey: 'three' };
    await expect(creator.create(request(poor, keyed))).rejects.toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
    });
    const first = await creator.create(request(rich, keyed));
    expect(first.replayed).toBe(false);
    const small = { ...keyed, estimatedCost: '0.01' };
    expect((await creator.create(request(poor, small))).replayed).toBe(false);
  });
});

describe('a completed execution', () => {
  it.each([
    ['cheaper than the hold returns the rest', '0.2', 9.8],
    ['that costs the hold returns nothing', '0.6', 9.4],
    ['that costs more than the hold is charged in full', '0.9', 9.1],
    ['that costs nothing is not charged', '0', 10],
  ])('%s', async (_, cost, available) => {
    const organizationId = await createTestOrganization(db, '10');
    const created = await creator.create(request(organizationId));
    await run(created, success(cost));
    expect(await balance(organizationId)).toEqual({ available, held: 0 });
    const execution = await getExecution(db, organizationId, created.record.id);
    expect(execution).toMatchObject({
      status: 'COMPLETED',
      output: { text: 'hi' },
      inputTokens: 1,
      outputTokens: 2,
    });
  });

  it('may make available negative, and then creates are refused', async () => {
    const organizationId = await createTestOrganization(db, '0.6');
    await run(await creator.create(request(organizationId)), success('2'));
    expect(await balance(organizationId)).toEqual({ available: -1.4, held: 0 });
    await expect(creator.create(request(organizationId))).rejects.toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
    });
  });

  it('is charged once when it is settled several times', async () => {
    const organizationId = await createTestOrganization(db, '10');
    const attemptId = await startOne(await creator.create(request(organizationId)));
    await recordOutcomes(db, [{ attemptId, outcome: success('0.5'), state: 'succeeded' }]);
    await Promise.all(Array.from({ length: 5 }, () => completeExecutions(db, [attemptId, attemptId])));
    expect(await balance(organizationId)).toEqual({ available: 9.5, held: 0 });
  });

  it('keeps its first outcome', async () => {
    const organizationId = await createTestOrganization(db, '10');
    const attemptId = await startOne(await creator.create(request(organizationId)));
    const record = (outcome: RecordedOutcome) =>
      recordOutcomes(db, [{ attemptId, outcome, state: 'succeeded' }]);
    expect(await record(success('0.1'))).toEqual([attemptId]);
    expect(await record(failure)).toEqual([]);
  });
});

describe('a cost above the hold', () => {
  const setOverage = (organizationId: string, overage: OveragePolicy) =>
    updateOrganization(db, organizationId, { overage });
  const createWith = async (balance: string, overage: OveragePolicy) => {
    const organizationId = await createTestOrganization(db, balance);
    await setOverage(organizationId, overage);
    return organizationId;
  };
  const journalOf = async (organizationId: string) => {
    const { rows } = await db.pool.query(
      `SELECT kind || ' ' || amount::float8 || coalesce(' ' || reason, '') AS entry FROM transfers
       WHERE organization_id = $1 AND execution_id IS NOT NULL ORDER BY sequence`,
      [organizationId],
    );
    return rows.map(({ entry }) => entry);
  };

  it('is charged in full with the policy charge', async () => {
    const organizationId = await createWith('1', 'charge');
    await run(await creator.create(request(organizationId)), success('5'));
    expect(await balance(organizationId)).toEqual({ available: -4, held: 0 });
    expect(await journalOf(organizationId)).toEqual(['hold 0.6', 'overage 4.4', 'settle 5']);
  });

  it('is charged up to the balance with the policy cap, and the rest is written off', async () => {
    const organizationId = await createWith('1', 'cap');
    const created = await creator.create(request(organizationId));
    await run(created, success('5'));
    expect(await balance(organizationId)).toEqual({ available: 0, held: 0 });
    expect(await journalOf(organizationId)).toEqual([
      'hold 0.6',
      'overage 0.4',
      'settle 1',
      'write_off 4 balance',
    ]);
    const execution = await getExecution(db, organizationId, created.record.id);
    expect(execution?.cost).toBe('1.00000000');
  });

  it('does not touch other holds with the policy cap', async () => {
    const organizationId = await createWith('1.2', 'cap');
    const [first] = [
      await creator.create(request(organizationId)),
      await creator.create(request(organizationId)),
    ];
    await run(first, success('5'));
    expect(await balance(organizationId)).toEqual({ available: 0, held: 0.6 });
    expect(await journalOf(organizationId)).toContain('write_off 4.4 balance');
  });

  it('takes nothing from a negative balance with the policy cap', async () => {
    const organizationId = await createWith('1.2', 'charge');
    const [first, second] = [
      await creator.create(request(organizationId)),
      await creator.create(request(organizationId)),
    ];
    await run(first, success('5'));
    await setOverage(organizationId, 'cap');
    await run(second, success('0.9'));
    expect(await balance(organizationId)).toEqual({ available: -4.4, held: 0 });
    expect((await journalOf(organizationId)).slice(-2)).toEqual(['settle 0.6', 'write_off 0.3 balance']);
  });

  it('shares the balance among the executions of one statement in order of their ids', async () => {
    const organizationId = await createWith('3', 'cap');
    const created = await Promise.all([1, 2, 3, 4].map(() => creator.create(request(organizationId))));
    const ids = created.map(({ record }) => record.id);
    const attempts: string[] = [];
    for (const [index, one] of created.entries()) {
      const attemptId = await startOne(one);
      const outcome = success(['1', '0.2', '0.9', '1.1'][index] ?? '');
      await recordOutcomes(db, [{ attemptId, outcome, state: 'succeeded' }]);
      attempts.unshift(attemptId);
    }
    const ended = await completeExecutions(db, attempts);
    // 2.4 of the 3 are held. The second returns 0.4, which leaves 1 for the excess of the others: 0.4, 0.3 and 0.5.
    const writeOffs = ids.map((id) => ended.find(({ executionId }) => executionId === id)?.writeOff);
    expect(writeOffs).toEqual([null, null, null, { amount: '0.20000000', reason: 'balance' }]);
    expect(await balance(organizationId)).toEqual({ available: 0, held: 0 });
  });

  it.each([
    {
      cost: '6',
      becomes: 'is charged up to ten times the hold',
      entries: ['overage 5.4', 'settle 6'],
      reviews: [],
    },
    { cost: '6.6', becomes: 'is held back above that', entries: ['settle 0.6'], reviews: ['6.6'] },
    {
      cost: '1000000000000000000000000000000',
      becomes: 'is held back where no balance could hold it',
      entries: ['settle 0.6'],
      reviews: ['1000000000000000000000000000000'],
    },
  ])('$becomes, for an operator to review: $cost', async ({ cost, entries, reviews }) => {
    const organizationId = await createWith('1', 'charge');
    const created = await creator.create(request(organizationId));
    const other = await creator.create(request(await createWith('1', 'charge')));
    const attempts = [await startOne(created), await startOne(other)];
    const outcomes = attempts.map((attemptId, index) => ({
      attemptId,
      outcome: success(index === 0 ? cost : '0.9'),
      state: 'succeeded' as const,
    }));
    await recordOutcomes(db, outcomes);
    expect(await completeExecutions(db, attempts)).toHaveLength(2);
    expect(await completeExecutions(db, attempts)).toEqual([]);
    expect(await journalOf(organizationId)).toEqual(['hold 0.6', ...entries]);
    const { rows } = await db.pool.query(
      'SELECT reported_cost::text AS cost, hold::float8, state FROM reviews WHERE organization_id = $1',
      [organizationId],
    );
    expect(rows).toEqual(reviews.map((reported) => ({ cost: reported, hold: 0.6, state: 'open' })));
  });

  it('leaves its whole batch to the statement with overages', async () => {
    const organizationId = await createWith('3', 'charge');
    const created = await Promise.all([1, 2].map(() => creator.create(request(organizationId))));
    const attempts = await Promise.all(created.map(startOne));
    const outcomes = attempts.map((attemptId, index) => ({
      attemptId,
      outcome: success(index === 0 ? '0.2' : '5'),
      state: 'succeeded' as const,
    }));
    await recordOutcomes(db, outcomes);
    expect(await completeWithinHold(db, attempts)).toBeNull();
    expect(await journalOf(organizationId)).toEqual(['hold 0.6', 'hold 0.6']);
    expect(await unsettledAttempts(db, -1)).toEqual(
      expect.arrayContaining(attempts.map((attemptId) => expect.objectContaining({ attemptId, ok: true }))),
    );
    expect(await completeExecutions(db, attempts)).toHaveLength(2);
    expect(await balance(organizationId)).toEqual({ available: -2.2, held: 0 });
  });

  it('never makes a capped balance negative when many are settled at once', async () => {
    const organizationId = await createWith('20', 'cap');
    const created = await Promise.all(
      Array.from({ length: 24 }, () => creator.create(request(organizationId))),
    );
    const attempts = await Promise.all(created.map(startOne));
    const items = attempts.map((attemptId) => ({
      attemptId,
      outcome: success('3'),
      state: 'succeeded' as const,
    }));
    await recordOutcomes(db, items);
    const thirds = [attempts.slice(0, 8), attempts.slice(8, 16), attempts.slice(16)];
    await Promise.all(thirds.map((third) => completeExecutions(db, third)));
    expect(await balance(organizationId)).toEqual({ available: 0, held: 0 });
  });
});

describe('an unsuccessful execution', () => {
  it('is not charged when it failed', async () => {
    const organizationId = await createTestOrganization(db, '10');
    const created = await creator.create(request(organizationId));
    await run(created, failure);
    expect(await balance(organizationId)).toEqual({ available: 10, held: 0 });
    const execution = await getExecution(db, organizationId, created.record.id);
    expect(execution).toMatchObject({
      status: 'FAILED',
      errorCode: 'GENERATION_FAILED',
      errorMessage: 'It failed.',
    });
  });

  it('is not charged when it was cancelled, also after a late outcome', async () => {
    const organizationId = await createTestOrganization(db, '10');
    const created = await creator.create(request(organizationId));
    const attemptId = await startOne(created);
    expect(await cancelExecution(db, organizationId, created.record.id)).not.toBeNull();
    await recordOutcomes(db, [{ attemptId, outcome: success('0.5'), state: 'succeeded' }]);
    expect(await completeExecutions(db, [attemptId])).toEqual([]);
    expect(await cancelExecution(db, organizationId, created.record.id)).toBeNull();
    expect(await balance(organizationId)).toEqual({ available: 10, held: 0 });
  });

  it('is not charged when it expired', async () => {
    const organizationId = await createTestOrganization(db, '10');
    const created = await creator.create(request(organizationId, { timeoutS: 0 }));
    expect(
      await startExecutions(db, [{ id: created.record.id, connection: 'sandbox', target: 'm' }], 30),
    ).toEqual([]);
    expect((await expireExecutions(db, 100)).map(({ executionId }) => executionId)).toContain(
      created.record.id,
    );
    expect(await balance(organizationId)).toEqual({ available: 10, held: 0 });
    const execution = await getExecution(db, organizationId, created.record.id);
    expect(execution).toMatchObject({ status: 'EXPIRED', errorCode: 'GENERATION_TIMEOUT' });
  });

  it('starts within its own limit, and then has its whole timeout', async () => {
    const organizationId = await createTestOrganization(db, '10');
    const create = async (startTimeoutS: number) => {
      const { record } = await creator.create(request(organizationId, { startTimeoutS, timeoutS: 600 }));
      return { id: record.id, connection: 'sandbox', target: 'm' };
    };
    const [late, intime] = [await create(0), await create(60)];
    const started = await startExecutions(db, [late, intime], 30);
    expect(started).toMatchObject([{ id: intime.id, remainingMs: 600_000 }]);
    const { expiresAt, startedAt } = (await getExecution(db, organizationId, intime.id)) ?? {};
    expect(Number(expiresAt) - Number(startedAt)).toBe(600_000);
    expect((await expireExecutions(db, 100)).map(({ executionId }) => executionId)).toEqual([late.id]);
  });

  it('cannot be cancelled by another organization', async () => {
    const created = await creator.create(request(await createTestOrganization(db, '10')));
    expect(await cancelExecution(db, await createTestOrganization(db, '10'), created.record.id)).toBeNull();
  });
});
