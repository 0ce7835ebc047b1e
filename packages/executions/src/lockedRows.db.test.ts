import { extendLeases } from '@holdfast/db/attempts/lease';
import { recordOutcomes } from '@holdfast/db/attempts/outcomes';
import { auditLedger } from '@holdfast/db/audit/audit';
import { completeExecutions, failExecutions } from '@holdfast/db/executions/endings';
import { startExecutions } from '@holdfast/db/executions/start';
import { isLockTimeout } from '@holdfast/db/faults';
import { setSpendLimit } from '@holdfast/db/spendLimits';
import type { RecordedOutcome } from '@holdfast/domain/outcome';
import { createLogger } from '@holdfast/kit/logger';
import { createTestOrganization, insertTestExecution } from '@holdfast/testkit/testData';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type AttemptRecorder, openAttemptRecorder } from './attemptRecorder.ts';
import { openCreator } from './creator.ts';
import { cancel, expireDue } from './lifecycle.ts';
import { openSettler } from './settler.ts';
import { nowhere, publishChanges } from './testing/nowhere.ts';

const silent = createLogger('test', 'silent');
const { db, close } = await openTestDatabase(6);
afterAll(async () => {
  expect(await auditLedger(db)).toEqual([]);
  await close();
});

let blocked: string;
let other: string;
beforeEach(async () => {
  blocked = await createTestOrganization(db, '1000');
  other = await createTestOrganization(db, '1000');
});

/** As an operator does who leaves a transaction open in psql. Returns what ends it. */
async function lock(rows: string, ...values: string[]): Promise<() => Promise<void>> {
  const client = await db.pool.connect();
  await client.query('BEGIN');
  expect((await client.query(`SELECT FROM ${rows} FOR UPDATE`, values)).rowCount).toBeGreaterThan(0);
  return async () => {
    await client.query('ROLLBACK');
    client.release();
  };
}

const lockBalance = () => lock('balances WHERE organization_id = $1', blocked);

const statusesOf = async (organizationId: string) => {
  const statuses = `SELECT status, count(*)::int FROM executions WHERE organization_id = $1 GROUP BY status`;
  return Object.fromEntries(
    (await db.pool.query<{ status: string; count: number }>(statuses, [organizationId])).rows.map(
      ({ status, count }) => [status, count],
    ),
  );
};

describe('creates', () => {
  const requestOf = (organizationId: string, key = '') => ({
    organizationId,
    apiKeyId: `key_of_${organizationId}`,
    idempotencyKey: key || null,
    requestHash: 'hash',
    model: 'm',
    input: {},
    metadata: null,
    webhookUrl: null,
    estimatedCost: '0.10',
    timeoutS: 600,
  });

  it.each([
    ['balance', () => lockBalance()],
    ['spend limit', () => lock('spend_limits WHERE scope_id = $1', blocked)],
    ["key's spend limit", () => lock('spend_limits WHERE scope_id = $1', `key_of_${blocked}`)],
  ])('of other organizations go on while the %s of one is locked', async (_row, hold) => {
    const limit = { organizationId: blocked, amount: '1000' };
    await setSpendLimit(db, { ...limit, apiKeyId: null });
    await setSpendLimit(db, { ...limit, apiKeyId: `key_of_${blocked}` });
    const blockages: string[] = [];
    const creator = openCreator({ db, dispatch: nowhere, onBlocked: (id) => blockages.push(id) });
    const release = await hold();
    let ended = 0;
    const waiting = Array.from({ length: 300 }, (_, index) =>
      creator.create(requestOf(blocked, `key-${index}`)).finally(() => (ended += 1)),
    );
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(Array.from({ length: 20 }, () => creator.create(requestOf(other))));
    }
    expect([await statusesOf(other), await statusesOf(blocked), ended]).toEqual([{ PENDING: 200 }, {}, 0]);
    await until('the blockage is reported', () => blockages.length > 0);
    await release();
    await Promise.all(waiting);
    expect(await statusesOf(blocked)).toEqual({ PENDING: 300 });
    expect(new Set(blockages)).toEqual(new Set([blocked]));
    await creator.idle();
  });

  it('of the organization fail after some seconds without a trace, and succeed when repeated', async () => {
    const creator = openCreator({ db, dispatch: nowhere });
    const release = await lockBalance();
    const error: unknown = await creator
      .create(requestOf(blocked, 'again'))
      .catch((reason: unknown) => reason);
    expect(isLockTimeout(error)).toBe(true);
    await release();
    const created = await creator.create(requestOf(blocked, 'again'));
    expect([created.replayed, await statusesOf(blocked)]).toEqual([false, { PENDING: 1 }]);
  });
});

const success: RecordedOutcome = { ok: true, output: {}, inputTokens: 0, outputTokens: 0, cost: '0.1' };
const failure = { ok: false, code: 'GENERATION_FAILED', message: 'no' } as const;

type Run = { executionId: string; attemptId: string };
type Recording = (recorder: AttemptRecorder, run: Run) => Promise<unknown>;

async function startedAttempt(organizationId: string): Promise<Run> {
  const id = await insertTestExecution(db, { organizationId });
  const [started] = await startExecutions(db, [{ id, connection: 'p', target: 'm' }], 30);
  return { executionId: id, attemptId: started?.attemptId ?? '' };
}

describe('records of attempts', () => {
  const next = { connection: 'p', target: 'm', afterMs: 1000 };
  const refusal = { claims: 0, outcome: failure, rawError: null, next };
  const report = { progress: 0.5, queuePosition: null, logs: '', isShown: true, logged: 0 };
  const accepted = { handle: { externalId: 'x' }, awaitsCallback: true, pollAfterMs: 1000 };

  it.each<[string, Recording]>([
    ['outcomes', (recorder, { attemptId }) => recorder.recordOutcome(attemptId, failure, 'failed')],
    ['accepted runs', (recorder, { attemptId }) => recorder.recordRunning({ ...accepted, attemptId })],
    ['refusals', (recorder, { attemptId }) => recorder.recordRefusal({ ...refusal, attemptId })],
    [
      'busy refusals',
      (recorder, { attemptId }) => recorder.recordBusyRefusal({ ...refusal, attemptId, mayHaveRun: false }),
    ],
  ])('go on while one attempt is locked, which follows: %s', async (_kind, record) => {
    const recorder = openAttemptRecorder({ db, settle: nowhere, publishChanges, log: silent });
    const runs = [];
    for (let nth = 0; nth < 4; nth += 1) runs.push(await startedAttempt(other));
    const [held] = runs;
    const release = await lock('attempts WHERE id = $1', held?.attemptId ?? '');
    let isHeldRecorded = false;
    const [first, ...rest] = runs.map((run) => record(recorder, run));
    const heldRecord = first?.then(() => (isHeldRecorded = true));
    await Promise.all(rest);
    expect(isHeldRecorded).toBe(false);
    await record(recorder, await startedAttempt(other));
    await release();
    await heldRecord;
    const states = await db.pool.query<{ state: string }>(
      `SELECT DISTINCT a.state FROM attempts a JOIN executions e ON e.id = a.execution_id
       WHERE e.organization_id = $1 AND a.number = 1`,
      [other],
    );
    expect(states.rows).toHaveLength(1);
    expect(states.rows[0]?.state).not.toBe('starting');
    await recorder.idle();
  });

  it('of progress leave the locked attempt out', async () => {
    const recorder = openAttemptRecorder({ db, settle: nowhere, publishChanges, log: silent });
    const [held, free] = [await startedAttempt(other), await startedAttempt(other)];
    const release = await lock('attempts WHERE id = $1', held.attemptId);
    await Promise.all([held, free].map((run) => recorder.recordProgress({ ...report, ...run })));
    await release();
    const { rows } = await db.pool.query<{ progress: number | null }>(
      'SELECT progress FROM executions WHERE id = ANY ($1) ORDER BY id',
      [[held.executionId, free.executionId]],
    );
    expect(rows.map(({ progress }) => progress)).toEqual([null, 0.5]);
  });

  it('extend the leases of the others', async () => {
    const [held, free] = [await startedAttempt(other), await startedAttempt(other)];
    const ids = [held.attemptId, free.attemptId];
    const release = await lock('attempts WHERE id = $1', held.attemptId);
    expect(await extendLeases(db, ids, 30)).toEqual([free.attemptId]);
    await release();
    expect(await extendLeases(db, ids, 30)).toEqual(ids);
  });
});

async function endedAttempt(organizationId: string, outcome: RecordedOutcome): Promise<string> {
  const id = await insertTestExecution(db, { organizationId });
  const [started] = await startExecutions(db, [{ id, connection: 'p', target: 'm' }], 30);
  const attemptId = started?.attemptId ?? '';
  await recordOutcomes(db, [{ attemptId, outcome, state: outcome.ok ? 'succeeded' : 'failed' }]);
  return attemptId;
}

describe('settlements', () => {
  const hints = { fanout: nowhere, publishChanges };
  const onEnded = { completed: () => {}, failed: () => {} };

  it.each([
    ['balance', () => lockBalance()],
    ['execution', () => lock('executions WHERE organization_id = $1', blocked)],
  ])(
    'of other organizations go on while the %s of one is locked, which is settled later',
    async (_row, hold) => {
      const outcomes = [success, failure, success, failure];
      const settler = openSettler({ db, hints, onEnded });
      const attempts: { attemptId: string; ok: boolean }[] = [];
      for (const organizationId of [blocked, other]) {
        for (const outcome of outcomes) {
          attempts.push({ attemptId: await endedAttempt(organizationId, outcome), ok: outcome.ok });
        }
      }
      const release = await hold();
      await Promise.all(attempts.map(settler.settle));
      expect(await statusesOf(other)).toEqual({ COMPLETED: 2, FAILED: 2 });
      expect(await statusesOf(blocked)).toEqual({ PROCESSING: 4 });
      await release();
      await until('the others are settled', async () => {
        await Promise.all(attempts.map(settler.settle));
        const { COMPLETED, FAILED } = await statusesOf(blocked);
        return COMPLETED === 2 && FAILED === 2;
      });
    },
  );

  it('fail with a lock timeout by themselves, holding nothing', async () => {
    const attemptId = await endedAttempt(blocked, success);
    const failed = await endedAttempt(blocked, failure);
    const release = await lockBalance();
    const isLocked = async (work: Promise<unknown>) =>
      isLockTimeout(await work.catch((error: unknown) => error));
    expect(await isLocked(completeExecutions(db, [attemptId]))).toBe(true);
    expect(await isLocked(failExecutions(db, [failed]))).toBe(true);
    await release();
    expect(await completeExecutions(db, [attemptId])).toHaveLength(1);
    expect(await failExecutions(db, [failed])).toHaveLength(1);
  });
});

const endingHints = { fanout: nowhere, abort: nowhere, publishChanges };

describe('expiry', () => {
  it('goes past an organization whose balance is locked, however many of its executions are overdue', async () => {
    for (let index = 0; index < 510; index += 1) await insertTestExecution(db, { organizationId: blocked });
    await insertTestExecution(db, { organizationId: other });
    await db.pool.query(
      `UPDATE executions SET expires_at = now() - interval '1 hour' * CASE organization_id WHEN $1 THEN 2 ELSE 1 END
       WHERE status = 'PENDING' AND organization_id IN ($1, $2)`,
      [blocked, other],
    );
    const locked = new Set<string>();
    const expire = () => expireDue({ db, hints: endingHints, onEnded: () => {}, locked });
    const release = await lockBalance();
    await expire();
    expect([await statusesOf(other), await statusesOf(blocked)]).toEqual([{ EXPIRED: 1 }, { PENDING: 510 }]);
    await expire();
    expect([...locked]).toEqual([blocked]);
    await release();
    await expire();
    expect([await statusesOf(blocked), locked.size]).toEqual([{ EXPIRED: 510 }, 0]);
  });
});

describe('cancels', () => {
  it('of a locked organization use no connection while they wait', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, () => insertTestExecution(db, { organizationId: blocked })),
    );
    const release = await lockBalance();
    const cancelling = ids.map((id) => cancel({ db, hints: endingHints, log: silent }, blocked, id));
    const id = await insertTestExecution(db, { organizationId: other });
    expect(await cancel({ db, hints: endingHints, log: silent }, other, id)).toMatchObject({
      status: 'CANCELLED',
    });
    expect(await statusesOf(blocked)).toEqual({ PENDING: 20 });
    await release();
    await Promise.all(cancelling);
    expect(await statusesOf(blocked)).toEqual({ CANCELLED: 20 });
  });
});
