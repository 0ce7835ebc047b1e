import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { recordRefusals } from './attempts/outcomes.ts';
import { filterOpenRuns, hasWork, openRuns, stalePendingExecutions } from './sweeps.ts';
import { explainReads } from './testing/explainReads.ts';

const { db, close } = await openTestDatabase();

beforeAll(async () => {
  await db.pool.query(`
    INSERT INTO executions (id, organization_id, model, status, input, hold_amount, estimated_cost, created_at, expires_at)
    SELECT new_id('exec'), 'org_' || n % 5, 'm', CASE WHEN n % 100 = 0 THEN 'PROCESSING' ELSE 'PENDING' END, '{}', 1, 1,
      now() - interval '1 minute', now() + interval '1 hour' FROM generate_series(1, 2000) n`);
  await db.pool.query(`
    INSERT INTO attempts (id, execution_id, number, provider, state, token)
    SELECT new_id('att'), id, 1, 'p', 'starting', id FROM executions WHERE status = 'PROCESSING'`);
  await db.pool.query('ANALYZE');
});

afterAll(close);

it('counting open runs reads no other attempts', async () => {
  const { rows } = await explainReads(db, openRuns);
  const open = await openRuns(db);
  expect(open).toHaveLength(20);
  expect(rows).toBeLessThanOrEqual(2 * open.length);
});

it('recording a refusal reads no other attempts', async () => {
  const { rows } = await db.pool.query(`SELECT id FROM attempts WHERE finished_at IS NULL LIMIT 1`);
  const outcome = { ok: false, code: 'MODEL_OVERLOADED', message: 'busy' } as const;
  const next = { connection: 'p', target: 'm', afterMs: 1 };
  const read = await explainReads(db, (tx) =>
    recordRefusals(tx, [{ attemptId: rows[0].id, claims: 0, outcome, rawError: 'busy', next }]),
  );
  expect(read.rows).toBeLessThanOrEqual(10);
});

it('an attempt that has ended or waits is not open', async () => {
  const [ended, waiting, still] = (await openRuns(db)).map(({ executionId }) => executionId);
  await db.pool.query(
    `UPDATE attempts SET state = 'cancelled', finished_at = now() WHERE execution_id = $1`,
    [ended],
  );
  await db.pool.query(`UPDATE attempts SET state = 'waiting' WHERE execution_id = $1`, [waiting]);
  expect(await filterOpenRuns(db, [ended, waiting, still].map(String))).toEqual([still]);
});

it('a sweep over many organizations reads fewer rows of each, and some of every one', async () => {
  const countOf = (rows: unknown[][]) => Map.groupBy(rows, ([, organizationId]) => organizationId);
  const few = countOf(await stalePendingExecutions(db, 5, 100, 20));
  expect([...few.values()].map(({ length }) => length)).toEqual([4, 4, 4, 4, 4]);
  const many = countOf(await stalePendingExecutions(db, 5, 100));
  expect([...many.values()].map(({ length }) => length)).toEqual([100, 100, 100, 100, 100]);
  const least = countOf(await stalePendingExecutions(db, 5, 100, 1));
  expect(least.size).toBe(5);
});

it('a service has work while a row that one of its sweeps lists exists, and learns it from few rows', async () => {
  for (const service of ['dispatcher', 'ledger', 'sender'] as const) {
    const { rows } = await explainReads(db, (tx) => hasWork(tx, service));
    expect(rows).toBeLessThanOrEqual(10);
  }
  const all = async () => [
    await hasWork(db, 'dispatcher'),
    await hasWork(db, 'ledger'),
    await hasWork(db, 'sender'),
  ];
  expect(await all()).toEqual([true, true, false]);
  await db.pool.query(`UPDATE executions SET status = 'CANCELLED', completed_at = now()`);
  expect(await all()).toEqual([true, false, false]);
  await db.pool.query(
    `UPDATE attempts SET state = 'succeeded', finished_at = now(), outcome = '{"ok":true}'`,
  );
  expect(await all()).toEqual([false, true, false]);
  await db.pool.query('UPDATE attempts SET settled_at = now()');
  expect(await all()).toEqual([false, false, false]);
  await db.pool.query(`INSERT INTO events (id, organization_id, execution_id, type)
    SELECT event_id(id, 'execution.cancelled'), organization_id, id, 'execution.cancelled' FROM executions LIMIT 1`);
  expect(await all()).toEqual([false, false, true]);
  await db.pool.query(`INSERT INTO provider_costs (attempt_id, execution_id, provider, is_success, cost)
    VALUES ('att_1', 'exec_1', 'p', true, 1)`);
  expect(await all()).toEqual([false, true, true]);
  await db.pool.query('DELETE FROM provider_costs');
  await db.pool.query(`INSERT INTO batches (id, organization_id, api_key_id, on_insufficient_balance, window_s, events, expires_at)
    VALUES (new_id('bat'), 'org_1', 'key', 'pause', 60, 'none', now() + interval '1 hour')`);
  expect(await all()).toEqual([false, false, true]);
  await db.pool.query(`UPDATE batches SET status = 'finishing', ends_as = 'cancelled'`);
  expect(await all()).toEqual([false, true, true]);
});
