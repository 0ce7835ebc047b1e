import { markStopped } from '@holdfast/db/attempts/lease';
import { endedAttempts } from '@holdfast/db/attempts/outcomes';
import { completeExecutions, failExecutions } from '@holdfast/db/executions/endings';
import { getExecution } from '@holdfast/db/executions/read';
import { startExecutions } from '@holdfast/db/executions/start';
import { readOnlyState } from '@holdfast/db/faults';
import { unsettledAttempts } from '@holdfast/db/sweeps';
import { newId } from '@holdfast/domain/ids';
import type { RecordedOutcome } from '@holdfast/domain/outcome';
import { createLogger } from '@holdfast/kit/logger';
import { createTestOrganization } from '@holdfast/testkit/testData';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { openAttemptRecorder } from './attemptRecorder.ts';
import { openCreator } from './creator.ts';
import { nowhere, publishChanges } from './testing/nowhere.ts';

const { db, close } = await openTestDatabase(4);
const recorder = openAttemptRecorder({
  db,
  settle: nowhere,
  publishChanges,
  log: createLogger('test', 'silent'),
});
let organizationId: string;

beforeAll(async () => {
  organizationId = await createTestOrganization(db, '100');
});

afterAll(close);

async function started(): Promise<{ id: string; attemptId: string }> {
  const { record } = await openCreator({ db, dispatch: nowhere }).create({
    organizationId,
    apiKeyId: 'key_test',
    idempotencyKey: null,
    requestHash: 'a hash',
    model: 'a-model',
    input: {},
    metadata: null,
    webhookUrl: null,
    estimatedCost: '0.50000000',
    timeoutS: 600,
  });
  const [run] = await startExecutions(db, [{ id: record.id, connection: 'sandbox', target: 'm' }], 30);
  if (!run) throw new Error('not started');
  return run;
}

/** Records `outcome` and, in the same batch, a good one, settles both, and returns the first execution. */
async function settled(outcome: RecordedOutcome) {
  const [odd, good] = [await started(), await started()];
  await Promise.all([
    recorder.recordOutcome(odd.attemptId, outcome, outcome.ok ? 'succeeded' : 'failed'),
    recorder.recordOutcome(good.attemptId, success({}), 'succeeded'),
  ]);
  await unsettledAttempts(db, 0);
  const attemptIds = [odd.attemptId, good.attemptId];
  await completeExecutions(db, attemptIds);
  await failExecutions(db, attemptIds);
  expect(await getExecution(db, organizationId, good.id)).toMatchObject({ status: 'COMPLETED' });
  return await getExecution(db, organizationId, odd.id);
}

function success(change: Partial<Extract<RecordedOutcome, { ok: true }>>): RecordedOutcome {
  return { ok: true, output: { text: 'hi' }, inputTokens: 1, outputTokens: 2, cost: '0.1', ...change };
}

const accepted = (attemptId: string) => ({
  attemptId,
  handle: { externalId: 'x' },
  awaitsCallback: true,
  pollAfterMs: 1000,
});

/** A log, and the error of its first warning. */
function warnings() {
  const { promise: warned, resolve } = Promise.withResolvers<unknown>();
  const log = createLogger('test', 'silent');
  log.warn = ({ err }: { err: unknown }) => resolve(err);
  return { log, warned };
}

describe('an outcome that PostgreSQL could not store or read', () => {
  it('is settled with NUL and lone surrogates of its output replaced', async () => {
    const execution = await settled(success({ output: { 'a\0': ['b\0c', 'd\uD800'] } }));
    expect(execution).toMatchObject({ status: 'COMPLETED', output: { 'a\uFFFD': ['b\uFFFDc', 'd\uFFFD'] } });
  });

  it('is settled with NUL in its error message replaced and the message cut', async () => {
    const message = `\0${'x'.repeat(100_000)}`;
    const execution = await settled({ ok: false, code: 'GENERATION_FAILED', message });
    expect(execution).toMatchObject({ status: 'FAILED', errorMessage: `\uFFFD${'x'.repeat(1999)}` });
  });

  it('is settled with its token counts capped at what an integer holds', async () => {
    const execution = await settled(success({ inputTokens: 1e300, outputTokens: 3e9 }));
    expect(execution).toMatchObject({ inputTokens: 2_147_483_647, outputTokens: 2_147_483_647 });
  });

  it.each(['99999999999999999999.00000000', '1000000000.00000001', `1${'0'.repeat(320)}.00000000`])(
    'is charged its hold, for an operator to review, when it costs %s',
    async (cost) => {
      expect(await settled(success({ cost }))).toMatchObject({ status: 'COMPLETED', cost: '0.60000000' });
    },
  );

  it.each(['1e300', 'NaN', '-1'])(
    'is recorded as a failure and not charged when it costs %s',
    async (cost) => {
      expect(await settled(success({ cost }))).toMatchObject({ status: 'FAILED', cost: null });
    },
  );

  it('is recorded as a failure when its output is too large or nested too deeply', async () => {
    const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`) as unknown;
    expect(await settled(success({ output: { deep } }))).toMatchObject({ status: 'FAILED' });
    expect(await settled(success({ output: { text: 'x'.repeat(4_194_304) } }))).toMatchObject({
      status: 'FAILED',
    });
  });

  it('is reported as not recorded when it can only be recorded as a failure, so that its files are dropped', async () => {
    const { attemptId } = await started();
    const unpriced = success({ cost: 'NaN' });
    expect(await recorder.recordOutcome(attemptId, unpriced, 'succeeded')).toBe(false);
  });
});

async function insertAttempt(id: string): Promise<void> {
  await db.pool.query(
    `WITH execution AS (
       INSERT INTO executions (id, organization_id, model, status, input, hold_amount, estimated_cost, expires_at)
       VALUES ($2, 'org', 'm', 'PROCESSING', '{}', 1, 1, now()))
     INSERT INTO attempts (id, execution_id, number, provider, state, token) VALUES ($1, $2, 1, 'p', 'starting', $1)`,
    [id, newId('exec')],
  );
}

describe('an attempt that a former primary does not know', () => {
  it('is recorded once the present one is reached, and delays no other of its batch', async () => {
    const { log, warned } = warnings();
    const following = openAttemptRecorder({ db, settle: nowhere, publishChanges, log });
    const { attemptId } = await started();
    const record = (id: string) => following.recordOutcome(id, success({}), 'succeeded');
    const [late, running] = [record('late'), following.recordRunning(accepted('late too'))];
    expect(await record(attemptId)).toBe(true);
    expect(await warned).toMatchObject({ code: readOnlyState });
    await insertAttempt('late');
    await insertAttempt('late too');
    expect(await Promise.all([late, running])).toEqual([true, true]);
    expect(await endedAttempts(db, ['late', 'late too'])).toEqual(['late']);
  });
});

describe('an outcome that was recorded without a response', () => {
  it('counts as recorded, so that its output is kept', async () => {
    let isBroken = true;
    const pool = new Proxy(db.pool, {
      get: (own, name) =>
        name === 'query'
          ? async (statement: pg.QueryConfig) => {
              const result = await own.query(statement);
              if (!isBroken) return result;
              isBroken = false;
              throw new Error('Connection terminated unexpectedly');
            }
          : Reflect.get(own, name),
    });
    const { log } = warnings();
    const { recordOutcome } = openAttemptRecorder({
      db: { ...db, pool },
      settle: nowhere,
      publishChanges,
      log,
    });
    const { attemptId } = await started();
    expect(await recordOutcome(attemptId, success({}), 'succeeded')).toBe(true);
    expect([isBroken, await recordOutcome(attemptId, success({}), 'succeeded')]).toEqual([false, false]);
  });
});

describe('an accepted run', () => {
  it('is not recorded as running when it has already ended', async () => {
    await insertAttempt('open');
    await insertAttempt('ended');
    await markStopped(db, ['ended']);
    const runs = ['open', 'ended'].map((id) => recorder.recordRunning(accepted(id)));
    expect(await Promise.all(runs)).toEqual([true, false]);
    const { rows } = await db.pool.query<{ status: string }>(
      `SELECT status FROM executions JOIN attempts a ON a.execution_id = executions.id
       WHERE a.id IN ('open', 'ended') ORDER BY a.id DESC`,
    );
    expect(rows.map(({ status }) => status)).toEqual(['AWAITING_WEBHOOK', 'PROCESSING']);
  });
});
