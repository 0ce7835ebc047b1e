import { markStopped } from '@holdfast/db/attempts/lease';
import { newId } from '@holdfast/domain/ids';
import { createLogger } from '@holdfast/kit/logger';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, expect, it } from '@jest/globals';
import { openAwaiter } from './awaitCallback.ts';

const { db, close } = await openTestDatabase();
afterAll(close);

async function attempt(id: string): Promise<void> {
  const executionId = newId('exec');
  await db.pool.query(
    `WITH execution AS (
       INSERT INTO executions (id, organization_id, model, status, input, hold_amount, estimated_cost, expires_at)
       VALUES ($2, 'org', 'm', 'PROCESSING', '{}', 1, 1, now()))
     INSERT INTO attempts (id, execution_id, number, provider, state, token) VALUES ($1, $2, 1, 'p', 'starting', $1)`,
    [id, executionId],
  );
}

it('whoever submits a run learns that its end has come before', async () => {
  const awaiter = openAwaiter(db, createLogger('test', 'silent'));
  await attempt('open');
  await attempt('ended');
  await markStopped(db, ['ended']);
  const accepted = (attemptId: string) =>
    awaiter.accepted({ attemptId, handle: { externalId: 'x' }, awaitsCallback: true, pollAfterMs: 1000 });
  expect(await Promise.all([accepted('open'), accepted('ended')])).toEqual([true, false]);
  const { rows } = await db.pool.query<{ status: string }>('SELECT status FROM executions ORDER BY id');
  expect(rows.map(({ status }) => status)).toEqual(['AWAITING_WEBHOOK', 'PROCESSING']);
});
