import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { createTestOrganization } from '@holdfast/testkit/testOrganization';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, openDatabase } from '../client.ts';
import { insertExecutions } from '../executions/insert.ts';
import { readBacklog } from './read.ts';

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

describe('the backlog', () => {
  it('is empty when nothing waits, and tells how many wait and since when', async () => {
    const nothing = { count: 0, oldestS: null };
    expect(await readBacklog(db)).toEqual({
      pending: nothing,
      waiting_tries: nothing,
      running: nothing,
      abandoned: nothing,
      callbacks: nothing,
      unsettled: nothing,
      overdue: nothing,
      events: nothing,
      deliveries: nothing,
    });
    const organizationId = await createTestOrganization(db, '10');
    const { rows } = await db.pool.query<{ id: string }>(`SELECT new_id('exec') AS id`);
    const id = rows[0]?.id ?? '';
    await insertExecutions(db, [
      {
        id,
        organizationId,
        apiKeyId: 'key',
        idempotencyKey: null,
        requestHash: null,
        model: 'm',
        metadataJson: null,
        holdAmount: '0.01',
        estimatedCost: '0.01',
        inputJson: '{}',
        webhookUrl: null,
        timeoutS: 60,
      },
    ]);
    await db.pool.query(
      `UPDATE executions SET created_at = now() - interval '100 s', expires_at = now() - interval '40 s'`,
    );
    const { pending, overdue } = await readBacklog(db);
    expect([pending.count, overdue.count]).toEqual([1, 1]);
    expect(pending.oldestS).toBeGreaterThanOrEqual(100);
    expect(overdue.oldestS).toBeGreaterThanOrEqual(40);
    expect(overdue.oldestS).toBeLessThan(100);
  });
});
