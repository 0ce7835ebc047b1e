import { newId } from '@holdfast/domain/ids';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, expect, it } from '@jest/globals';
import {
  claimAbandoned,
  claimByToken,
  claimPoll,
  extendLeases,
  newToken,
  pollNow,
  reclaimLeases,
} from './lease.ts';
import { recordRunning } from './outcomes.ts';

const { db, close } = await openTestDatabase(4);
afterAll(close);

async function started(id: string): Promise<void> {
  const executionId = newId('exec');
  await db.pool.query(
    `INSERT INTO executions (id, organization_id, model, status, input, hold_amount, estimated_cost, expires_at)
     VALUES ($1, 'org', 'm', 'PROCESSING', '{}', 1, 1, now() + interval '1 hour')`,
    [executionId],
  );
  await db.pool.query(
    `INSERT INTO attempts (id, execution_id, number, provider, state, token, lease_until)
     VALUES ($1, $2, 1, 'p', 'starting', $1, now() + interval '1 second')`,
    [id, executionId],
  );
}

const secondsLeft = `SELECT extract(epoch FROM lease_until - now()) > 10 AS long FROM attempts WHERE id = $1`;

it('a heartbeat extends the leases of attempts in flight', async () => {
  await started('att_held');
  expect(await extendLeases(db, ['att_held'], 20)).toEqual(['att_held']);
  expect((await db.pool.query(secondsLeft, ['att_held'])).rows).toEqual([{ long: true }]);
});

it('a late heartbeat gives no lease to a run that was just handed to its provider, so its callback can claim it', async () => {
  await started('att_left');
  const handle = { externalId: 'x' };
  await recordRunning(db, [{ attemptId: 'att_left', handle, awaitsCallback: false, pollAfterMs: 60_000 }]);
  expect(await extendLeases(db, ['att_left'], 20)).toEqual(['att_left']);
  expect(await claimByToken(db, 'att_left', 20)).toMatchObject({ attemptId: 'att_left', state: 'running' });
});

it('a lease that has run out is reclaimed, unless another dispatcher has taken the attempt over', async () => {
  const ids = ['att_free', 'att_taken'];
  for (const id of ids) await started(id);
  await db.pool.query("UPDATE attempts SET lease_until = now() - interval '1 second' WHERE id = ANY ($1)", [
    ids,
  ]);
  expect(await claimAbandoned(db, 'att_taken', 20)).toMatchObject({ attemptId: 'att_taken' });
  expect(await reclaimLeases(db, ids, 20)).toEqual(['att_free']);
  expect((await db.pool.query(secondsLeft, ['att_free'])).rows).toEqual([{ long: true }]);
});

it('a callback that asks for a poll waits until the poll under way has ended', async () => {
  await started('att_polled');
  const running = { attemptId: 'att_polled', handle: { externalId: 'x' }, awaitsCallback: true };
  await recordRunning(db, [{ ...running, pollAfterMs: -1 }]);
  expect(await claimPoll(db, 'att_polled', 20)).not.toBeNull();
  expect(await pollNow(db, 'att_polled')).toBe(false);
  await recordRunning(db, [{ ...running, pollAfterMs: 60_000 }]);
  expect(await pollNow(db, 'att_polled')).toBe(true);
  // Rounded to milliseconds, so perhaps not due yet.
  const due = `SELECT poll_at < now() + interval '1 second' AS soon FROM attempts WHERE id = 'att_polled'`;
  expect((await db.pool.query(due)).rows).toEqual([{ soon: true }]);
});

it('new tokens are in order of time, and differ at random', async () => {
  const issue = async () =>
    (await db.pool.query<{ token: string }>(`SELECT ${newToken} AS token FROM generate_series(1, 100)`)).rows;
  const first = await issue();
  await db.pool.query('SELECT pg_sleep(0.002)');
  const tokens = [...first, ...(await issue())].map(({ token }) => token);
  expect(tokens.slice(0, 100).every((token) => token < (tokens[100] ?? ''))).toBe(true);
  expect(new Set(tokens.map((token) => token.slice(11))).size).toBe(200);
});
