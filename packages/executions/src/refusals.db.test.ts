import {
  claimAbandoned,
  claimByToken,
  claimWaiting,
  countTries,
  refusedAt,
  releaseLeases,
} from '@holdfast/db/attempts/lease';
import {
  type BusyRefusal,
  recordBusyRefusals,
  recordOutcomes,
  recordProgress,
  recordRefusals,
  recordRunning,
} from '@holdfast/db/attempts/outcomes';
import { cancelExecution, completeExecutions, expireExecutions } from '@holdfast/db/executions/endings';
import { eraseExecution } from '@holdfast/db/executions/erase';
import { getExecution, getExecutionWithAttempts } from '@holdfast/db/executions/read';
import { startExecutions } from '@holdfast/db/executions/start';
import { readWatchedExecutions } from '@holdfast/db/executions/watch';
import { pendingRetries, unsettledAttempts } from '@holdfast/db/sweeps';
import { limits } from '@holdfast/domain/limits';
import { createTestOrganization, insertTestExecution } from '@holdfast/testkit/testData';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';

const { db, close } = await openTestDatabase(4);
let organizationId: string;
let run: { id: string; attemptId: string; attemptToken: string };

const at = { connection: 'a', target: 'a-model' };
const elsewhere = { connection: 'b', target: 'b-model' };
/** `poll_at` is rounded to milliseconds: without this one, it may come half of one after the query that looks for it. */
const atOnce = { afterMs: -1 };
const refusal = { ok: false, code: 'MODEL_OVERLOADED', message: 'busy' } as const;

afterAll(close);
beforeEach(async () => {
  organizationId = await createTestOrganization(db, '10');
  run = await start();
});

async function start() {
  const money = { holdAmount: '1', estimatedCost: '1' };
  const id = await insertTestExecution(db, { organizationId, ...money, priority: 'high' });
  const [started] = await startExecutions(db, [{ id, ...at }], 30);
  if (!started) throw new Error('not started');
  return started;
}

const refuse = (attemptId: string, { afterMs } = atOnce) =>
  recordRefusals(db, [
    { attemptId, claims: 0, outcome: refusal, rawError: '429 slow down', next: { ...elsewhere, afterMs } },
  ]);

async function theNext() {
  const { due } = await pendingRetries(db);
  return due.find(({ retry: [, executionId] }) => executionId === run.id)?.retry ?? null;
}

describe('an attempt that its provider refused', () => {
  it('ends and is followed by one that waits until it is due', async () => {
    await refuse(run.attemptId);
    expect(await theNext()).toEqual([expect.any(String), run.id, organizationId, 'm', 0, 'b', 'b-model']);
    expect(await countTries(db, run.id)).toEqual(
      expect.arrayContaining([
        { ...at, tries: 1 },
        { ...elsewhere, tries: 1 },
      ]),
    );
  });

  it('is followed by one attempt when it is recorded several times', async () => {
    const done = await Promise.all([1, 2, 3].map(() => refuse(run.attemptId)));
    expect(done.flat()).toEqual([run.attemptId]);
    expect(await countTries(db, run.id)).toHaveLength(2);
  });

  it('is ignored by the ledger', async () => {
    await refuse(run.attemptId);
    const unsettled = await unsettledAttempts(db, 0);
    expect(unsettled.map(({ attemptId }) => attemptId)).not.toContain(run.attemptId);
    expect((await getExecution(db, organizationId, run.id))?.status).toBe('PROCESSING');
  });

  it('is not recorded as refused when another dispatcher has found it accepted', async () => {
    const handle = { externalId: 'x' };
    await recordRunning(db, [{ attemptId: run.attemptId, handle, awaitsCallback: false, pollAfterMs: 1 }]);
    expect(await refuse(run.attemptId)).toEqual([]);
    expect(await countTries(db, run.id)).toEqual([{ ...at, tries: 1 }]);
  });

  it('is followed by another when its provider has lost the accepted run', async () => {
    const handle = { externalId: 'x' };
    await recordRunning(db, [{ attemptId: run.attemptId, handle, awaitsCallback: false, pollAfterMs: 1 }]);
    const lost = { attemptId: run.attemptId, claims: 0, outcome: refusal, rawError: null, wasAccepted: true };
    expect(await recordRefusals(db, [{ ...lost, next: { ...elsewhere, ...atOnce } }])).toEqual([
      run.attemptId,
    ]);
    expect(await theNext()).not.toBeNull();
  });

  it('is not due before its time', async () => {
    await refuse(run.attemptId, { afterMs: 60_000 });
    expect(await theNext()).toBeNull();
  });

  it('is not followed by another when the execution has ended', async () => {
    await cancelExecution(db, organizationId, run.id);
    await refuse(run.attemptId);
    expect(await countTries(db, run.id)).toEqual([{ ...at, tries: 1 }]);
  });

  it('may be followed by an attempt at another provider, which ends the execution', async () => {
    await refuse(run.attemptId);
    const [attemptId = ''] = (await theNext()) ?? [];
    await db.pool.query(`UPDATE attempts SET created_at = now() - interval '1 hour' WHERE id = $1`, [
      attemptId,
    ]);
    const claims = await Promise.all([1, 2].map(() => claimWaiting(db, attemptId, at, 30)));
    const [claimed, ...others] = claims.filter((claim) => claim !== null);
    expect(others).toEqual([]);
    expect(claimed).toMatchObject({ state: 'starting', connection: 'a', target: 'a-model', ended: false });
    expect(claimed?.attemptToken).not.toBe(run.attemptToken);
    // It starts when it is sent, not when it was postponed.
    expect(claimed?.startedAtMs).toBeGreaterThan(Date.now() - 600_000);
    const outcome = { ok: true, output: {}, inputTokens: 0, outputTokens: 0, cost: '0.5' } as const;
    await recordOutcomes(db, [{ attemptId, outcome, state: 'succeeded' }]);
    await completeExecutions(db, [attemptId]);
    expect(await getExecution(db, organizationId, run.id)).toMatchObject({ status: 'COMPLETED' });
  });

  it('is returned by a later query when no dispatcher has claimed it, and other attempts meanwhile', async () => {
    await db.pool.query(
      `WITH many AS (
         INSERT INTO executions (id, organization_id, model, status, input, hold_amount, estimated_cost, expires_at)
         SELECT new_id('exec'), 'org', 'm', 'PROCESSING', '{}', 1, 1, now() + interval '1 hour'
         FROM generate_series(1, 2000) RETURNING id
       )
       INSERT INTO attempts (id, execution_id, number, provider, target, state, token, poll_at)
       SELECT new_id('att'), id, 1, 'down', 'm', 'waiting', id, now() - interval '1 minute' FROM many`,
    );
    await refuse(run.attemptId);
    expect(await theNext()).toBeNull();
    expect(await theNext()).not.toBeNull();
    expect(await theNext()).toBeNull();
    await db.pool.query(`DELETE FROM attempts WHERE provider = 'down'`);
  });

  it('is not sent when its execution has expired or is about to, and then only has to be stopped', async () => {
    await refuse(run.attemptId);
    const [attemptId = ''] = (await theNext()) ?? [];
    for (const left of ['0.9 seconds', '0 seconds']) {
      await db.pool.query('UPDATE executions SET expires_at = now() + $2::interval WHERE id = $1', [
        run.id,
        left,
      ]);
      expect(await claimWaiting(db, attemptId, at, 30)).toBeNull();
    }
    await cancelExecution(db, organizationId, run.id);
    await db.pool.query("UPDATE attempts SET poll_at = now() - interval '1 ms' WHERE id = $1", [attemptId]);
    expect((await pendingRetries(db)).over).toEqual([attemptId]);
    expect(await claimWaiting(db, attemptId, at, 30)).toMatchObject({ ended: true });
  });

  it('stores no text of its provider when its execution was erased meanwhile', async () => {
    await cancelExecution(db, organizationId, run.id);
    await eraseExecution(db, organizationId, run.id);
    await refuse(run.attemptId);
    const { rows } = await db.pool.query('SELECT state, outcome, raw_error FROM attempts WHERE id = $1', [
      run.attemptId,
    ]);
    const outcome = { ok: false, code: 'MODEL_OVERLOADED' };
    expect(rows).toEqual([{ state: 'refused', outcome, raw_error: null }]);
  });

  it('is recorded with any text of its provider, and does not hold up others', async () => {
    const other = await start();
    const [said, next] = ['429 slow\0 down', { ...elsewhere, ...atOnce }];
    const common = { claims: 0, outcome: refusal, rawError: said, next };
    const both = [run, other].map(({ attemptId }) => ({ attemptId, ...common }));
    expect(await recordRefusals(db, both)).toHaveLength(2);
    const { id } = await start();
    const { rows } = await db.pool.query('SELECT id FROM attempts WHERE execution_id = $1', [id]);
    const ended = { attemptId: rows[0].id, outcome: refusal, state: 'failed', rawError: said } as const;
    expect(await recordOutcomes(db, [ended])).toEqual([rows[0].id]);
  });

  it('is not ended by a callback when it was refused or not yet sent', async () => {
    await refuse(run.attemptId);
    expect(await claimByToken(db, run.attemptToken, 30)).toBeNull();
  });
});

describe('an attempt with a busy provider', () => {
  const putOff = (part: Partial<BusyRefusal> = {}) =>
    recordBusyRefusals(db, [
      {
        attemptId: run.attemptId,
        rawError: '409 busy',
        next: { ...at, ...atOnce },
        claims: 0,
        mayHaveRun: false,
        ...part,
      },
    ]);
  const attempts = () =>
    db.prisma.attempt.findMany({ where: { executionId: run.id }, orderBy: { number: 'asc' } });

  it('waits as the same attempt and counts how often it was postponed', async () => {
    for (const time of [1, 2, 3]) {
      expect(await putOff({ claims: time - 1 })).toEqual([run.attemptId]);
      const claimed = await claimWaiting(db, run.attemptId, at, 30);
      expect(claimed).toMatchObject({ attemptToken: run.attemptToken, busyRefusals: time, claims: time });
    }
    const [only, ...others] = await attempts();
    expect(others).toEqual([]);
    expect(only).toMatchObject({
      busyRefusals: 3,
      state: 'starting',
      rawError: '409 busy',
      finishedAt: null,
    });
    expect(Number(only?.busySince)).toBeLessThan(Number(only?.createdAt));
  });

  it('is returned when it is due, with the providers that have refused it', async () => {
    await refuse(run.attemptId);
    const [next = ''] = (await theNext()) ?? [];
    await claimWaiting(db, next, elsewhere, 30);
    await putOff({ attemptId: next, claims: 1, next: { ...elsewhere, afterMs: 60_000 } });
    expect(await theNext()).toBeNull();
    await db.pool.query("UPDATE attempts SET poll_at = now() - interval '1 ms' WHERE id = $1", [next]);
    const { due } = await pendingRetries(db);
    expect(due.filter(({ retry: [attemptId] }) => attemptId === next)).toEqual([
      { retry: [next, run.id, organizationId, 'm', 0, 'b', 'b-model'], refusedAt: [['a', 'a-model']] },
    ]);
    expect(await refusedAt(db, run.id)).toEqual([at]);
  });

  it('may wait for another provider', async () => {
    await putOff({ next: { ...elsewhere, ...atOnce } });
    expect(await theNext()).toEqual([run.attemptId, run.id, organizationId, 'm', 0, 'b', 'b-model']);
  });

  it('is only queried when it may have been accepted before', async () => {
    await putOff({ mayHaveRun: true });
    expect(await attempts()).toMatchObject([{ state: 'starting', busyRefusals: 1, pollAt: null }]);
    expect(await theNext()).toBeNull();
    expect(await claimAbandoned(db, run.attemptId, 30)).toMatchObject({ attemptToken: run.attemptToken });
  });

  it('stays with the dispatcher that has started it since, when its refusal is written a second time', async () => {
    await putOff({ next: { ...elsewhere, ...atOnce } });
    await claimWaiting(db, run.attemptId, elsewhere, 30);
    expect(await putOff({ next: { ...elsewhere, ...atOnce } })).toEqual([]);
    expect(await claimWaiting(db, run.attemptId, elsewhere, 30)).toBeNull();
  });

  it('stays with the dispatcher that has taken it over since, when its earlier one writes late', async () => {
    await db.pool.query("UPDATE attempts SET lease_until = now() - interval '1 s' WHERE id = $1", [
      run.attemptId,
    ]);
    expect(await claimAbandoned(db, run.attemptId, 30)).toMatchObject({ claims: 1 });
    expect(await putOff()).toEqual([]);
    expect(await refuse(run.attemptId)).toEqual([]);
    expect(await attempts()).toMatchObject([{ state: 'starting' }]);
  });

  it('is still due when the dispatcher that postponed it stops', async () => {
    await putOff();
    await releaseLeases(db, [run.attemptId]);
    expect(await theNext()).not.toBeNull();
  });

  it('does not wait when its provider has accepted it or another dispatcher has recorded its outcome', async () => {
    const handle = { externalId: 'x' };
    await recordRunning(db, [{ attemptId: run.attemptId, handle, awaitsCallback: false, pollAfterMs: 1 }]);
    expect(await putOff()).toEqual([]);
    const outcome = { ok: true, output: {}, inputTokens: 0, outputTokens: 0, cost: '0.5' } as const;
    await recordOutcomes(db, [{ attemptId: run.attemptId, outcome, state: 'succeeded' }]);
    expect(await putOff()).toEqual([]);
    expect(await attempts()).toMatchObject([{ state: 'succeeded', busyRefusals: 0 }]);
  });

  it('stores no text of its provider after its execution was erased', async () => {
    await cancelExecution(db, organizationId, run.id);
    await eraseExecution(db, organizationId, run.id);
    await putOff();
    expect((await attempts())[0]?.rawError).toBeNull();
  });

  it('expires with its execution, and the error says that there was no capacity', async () => {
    await putOff();
    await db.pool.query('UPDATE executions SET expires_at = now() WHERE id = $1', [run.id]);
    await expireExecutions(db, 1, { id: run.id });
    expect(await getExecution(db, organizationId, run.id)).toMatchObject({
      status: 'EXPIRED',
      errorCode: 'GENERATION_TIMEOUT',
      errorMessage: expect.stringContaining('had capacity'),
    });
  });
});

describe('the progress of a run', () => {
  const record = (part: {
    progress?: number;
    logs?: string;
    logged?: number;
    queuePosition?: number;
    isShown?: boolean;
  }) =>
    recordProgress(db, [
      {
        attemptId: run.attemptId,
        executionId: run.id,
        progress: part.progress ?? null,
        queuePosition: part.queuePosition ?? null,
        logs: part.logs ?? '',
        logged: part.logged ?? 0,
        isShown: part.isShown ?? true,
      },
    ]);
  const execution = () => getExecution(db, organizationId, run.id);

  it('is stored with the execution', async () => {
    await record({ queuePosition: 3 });
    expect(await execution()).toMatchObject({ queuePosition: 3, progress: null, logs: null });
    await record({ progress: 0.25, logs: 'one\n', logged: 4 });
    await record({ logs: 'two\n', logged: 8 });
    expect(await execution()).toMatchObject({ queuePosition: null, progress: 0.25, logs: 'one\ntwo\n' });
  });

  it('is not written when nothing is new', async () => {
    const version = async () =>
      (await db.pool.query('SELECT ctid FROM executions WHERE id = $1', [run.id])).rows[0].ctid;
    await record({ progress: 0.1, queuePosition: 2, logs: 'one\n', logged: 4 });
    const before = await version();
    await record({ progress: 0.1, queuePosition: 2, logged: 4 });
    await record({ queuePosition: 2, logged: 4 });
    expect(await version()).toBe(before);
    await record({ progress: 0.2, queuePosition: 2, logged: 4 });
    expect(await version()).not.toBe(before);
  });

  it('is added to the log once when several dispatchers have read it', async () => {
    await Promise.all([1, 2, 3].map(() => record({ logs: 'one\n', logged: 4 })));
    expect((await execution())?.logs).toBe('one\n');
  });

  it('keeps the end of a long log and counts all of it', async () => {
    await record({ logs: 'x'.repeat(limits.logLength), logged: limits.logLength });
    await record({ logs: 'the end\n', logged: limits.logLength + 8 });
    const { logs } = (await execution()) ?? {};
    expect(logs).toHaveLength(limits.logLength);
    expect(logs?.endsWith('xthe end\n')).toBe(true);
    const { rows } = await db.pool.query('SELECT logs_total FROM executions WHERE id = $1', [run.id]);
    expect(Number(rows[0].logs_total)).toBe(limits.logLength + 8);
  });

  it('is stored with the attempt when the model hides its log from clients', async () => {
    await record({ progress: 0.1, logs: 'azure is up\n', logged: 12, isShown: false });
    await Promise.all([1, 2].map(() => record({ logs: 'done\n', logged: 17, isShown: false })));
    expect(await execution()).toMatchObject({ progress: 0.1, logs: null });
    const found = await getExecutionWithAttempts(db, run.id);
    expect(found?.attempts.map(({ rawLogs }) => rawLogs)).toEqual(['azure is up\ndone\n']);
    const [sighting] = await readWatchedExecutions(db, [{ id: run.id, logsSeen: 0 }]);
    expect(sighting).toMatchObject({ logsTotal: 0, log: null });
  });

  it('is not added to an ended execution when it is hidden from clients, and is erased with it', async () => {
    const rawLogs = async () => (await getExecutionWithAttempts(db, run.id))?.attempts[0]?.rawLogs;
    await record({ logs: 'azure is up\n', logged: 12, isShown: false });
    await cancelExecution(db, organizationId, run.id);
    await record({ logs: 'late\n', logged: 17, isShown: false });
    expect(await rawLogs()).toBe('azure is up\n');
    await eraseExecution(db, organizationId, run.id);
    await record({ logs: 'later\n', logged: 23, isShown: false });
    expect(await rawLogs()).toBeNull();
  });

  it('is not added to an execution that has ended', async () => {
    await cancelExecution(db, organizationId, run.id);
    await record({ progress: 0.5, logs: 'late\n', logged: 5 });
    expect(await execution()).toMatchObject({ progress: null, logs: null });
  });
});
