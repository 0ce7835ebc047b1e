import { createTestOrganization, insertTestExecution } from '@holdfast/testkit/testData';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readBacklog, readOpenHolds } from './backlog.ts';

const { db, close } = await openTestDatabase();
afterAll(close);

describe('the backlog', () => {
  it('is empty when nothing is pending, and otherwise counts pending rows and dates the oldest', async () => {
    const nothing = { count: 0, oldestS: null };
    expect(await readBacklog(db)).toEqual({
      pending: nothing,
      waiting_tries: nothing,
      busy: nothing,
      running: nothing,
      abandoned: nothing,
      callbacks: nothing,
      unsettled: nothing,
      overdue: nothing,
      events: nothing,
      deliveries: nothing,
      reviews: nothing,
    });
    const organizationId = await createTestOrganization(db, '10');
    await insertTestExecution(db, { organizationId, timeoutS: 60 });
    await db.pool.query(
      `UPDATE executions SET created_at = now() - interval '100 s', expires_at = now() - interval '40 s'`,
    );
    const { pending, overdue } = await readBacklog(db);
    expect([pending.count, overdue.count]).toEqual([1, 1]);
    expect(pending.oldestS).toBeGreaterThanOrEqual(100);
    expect(overdue.oldestS).toBeGreaterThanOrEqual(40);
    expect(overdue.oldestS).toBeLessThan(100);
  });

  it('is counted up to the given maximum, however long it is', async () => {
    const organizationId = await createTestOrganization(db, '10');
    for (const timeoutS of [60, 60, 60]) await insertTestExecution(db, { organizationId, timeoutS });
    expect((await readBacklog(db, { of: ['pending'] })).pending.count).toBeGreaterThanOrEqual(3);
    expect((await readBacklog(db, { of: ['pending'], atMost: 2 })).pending.count).toBe(2);
    expect((await readOpenHolds(db, 2)).count).toBe(2);
  });
});
