import { newId } from '@holdfast/domain/ids';
import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { claimPoll } from '../attempts/claim.ts';
import { releaseLeases } from '../attempts/lease.ts';
import { type Database, openDatabase } from '../client.ts';
import { attemptsToPoll } from './due.ts';

let db: Database;
let drop: () => Promise<void>;

beforeAll(async () => {
  const database = await createTestDatabase();
  drop = database.drop;
  db = openDatabase({ url: database.url, poolSize: 2, applicationName: 'test' });
});

afterAll(async () => {
  await db.close();
  await drop();
});

it('a run that one dispatcher is asking about, however long, is no work for the others until it is let go of', async () => {
  const executionId = newId('exec');
  await db.pool.query(
    `INSERT INTO executions (id, organization_id, model, status, input, hold_amount, estimated_cost, expires_at)
     VALUES ($1, 'org', 'm', 'PROCESSING', '{}', 1, 1, now() + interval '1 hour')`,
    [executionId],
  );
  await db.pool.query(
    `INSERT INTO attempts (id, execution_id, number, provider, state, token, poll_at)
     VALUES ('att_1', $1, 1, 'p', 'running', 'token', now())`,
    [executionId],
  );
  expect(await attemptsToPoll(db)).toEqual(['att_1']);
  expect(await claimPoll(db, 'att_1', 20)).toMatchObject({ attemptId: 'att_1' });
  // The question takes longer than a lease; the heartbeat has extended it.
  await db.pool.query(`UPDATE attempts SET poll_at = now() - interval '1 second'`);
  expect(await attemptsToPoll(db)).toEqual([]);
  await releaseLeases(db, ['att_1']);
  await db.pool.query(`UPDATE attempts SET lease_until = now() - interval '1 second'`);
  expect(await attemptsToPoll(db)).toEqual(['att_1']);
});
