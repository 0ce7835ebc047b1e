import { auditLedger } from '@holdfast/db/audit/audit';
import { stalePendingExecutions } from '@holdfast/db/sweeps';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { seed } from './seed.ts';

const { db, url, close } = await openTestDatabase();

beforeAll(async () => {
  await seed(url, { finished: 96, pending: 6, organizations: 2 }, () => undefined);
});
afterAll(close);

describe('a database that has grown', () => {
  it('contains the requested executions with their transfers, events and deliveries', async () => {
    const { rows } = await db.pool.query(`
      SELECT status, count(*)::int AS executions, count(DISTINCT tableoid)::int AS months,
        sum((SELECT count(*) FROM transfers t WHERE t.execution_id = e.id))::int AS transfers,
        sum((SELECT count(*) FROM deliveries d JOIN events v ON v.id = d.event_id
          WHERE v.execution_id = e.id))::int AS deliveries
      FROM executions e GROUP BY status ORDER BY status`);
    expect(rows).toEqual([
      { status: 'COMPLETED', executions: 96, months: 12, transfers: 288, deliveries: 96 },
      { status: 'PENDING', executions: 6, months: 1, transfers: 6, deliveries: 0 },
    ]);
  });

  it('violates no invariant of the ledger', async () => {
    expect(await auditLedger(db)).toEqual([]);
  });

  it('keeps its pending executions: no sweep starts them', async () => {
    expect(await stalePendingExecutions(db, 0, 100)).toEqual([]);
  });
});
