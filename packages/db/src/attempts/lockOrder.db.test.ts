import { newId } from '@holdfast/domain/ids';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { extendLeases, markStopped, releaseLeases } from './lease.ts';
import { recordOutcomes, recordRunning } from './outcomes.ts';

const { db, close } = await openTestDatabase(8);

const ids = Array.from({ length: 300 }, (_, index) => `att_${String(index).padStart(3, '0')}`);
const executionIds = ids.map(() => newId('exec'));

beforeAll(async () => {
  // Written backwards, so that the order of the table is not the order of ids.
  await db.pool.query(
    `INSERT INTO executions (id, organization_id, model, status, input, hold_amount, estimated_cost, expires_at)
     SELECT id, 'org', 'm', 'PROCESSING', '{}', 1, 1, now() + interval '1 hour' FROM unnest($1::text[]) id`,
    [executionIds],
  );
  await db.pool.query(
    `INSERT INTO attempts (id, execution_id, number, provider, state, token, lease_until)
     SELECT id, execution_id, 1, 'p', 'starting', id, now()
     FROM unnest($1::text[], $2::text[]) AS t (id, execution_id) ORDER BY id DESC`,
    [ids, executionIds],
  );
});

afterAll(close);

it('concurrent statements over the same attempts, in any order, wait for each other and never deadlock', async () => {
  const reversed = ids.toReversed();
  const outcome = { ok: false, code: 'GENERATION_FAILED', message: 'no' } as const;
  const running = (attemptId: string) => ({
    attemptId,
    handle: { externalId: attemptId },
    awaitsCallback: false,
    pollAfterMs: 1000,
  });
  for (let round = 0; round < 10; round++) {
    await Promise.all([
      extendLeases(db, ids, 20),
      recordRunning(db, reversed.map(running)),
      extendLeases(db, reversed, 20),
      releaseLeases(db, reversed),
      recordRunning(db, ids.map(running)),
    ]);
  }
  await Promise.all([
    recordOutcomes(
      db,
      ids.map((attemptId) => ({ attemptId, outcome, state: 'failed' as const })),
    ),
    markStopped(db, reversed),
    extendLeases(db, reversed, 20),
  ]);
  expect(await extendLeases(db, ids, 20)).toEqual([]);
});
