import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { testRedisUrl } from '@holdfast/testkit/testRedis';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { holdfast } from '../testing/holdfast.ts';

let database: Awaited<ReturnType<typeof openTestDatabase>>;

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const run = (...args: string[]) => holdfast(args, { DATABASE_URL: database.url, REDIS_URL: testRedisUrl() });

const query = async (text: string) => (await database.db.pool.query(text)).rows;

describe('commands that work without the admin API', () => {
  it('are recorded in the audit log if they may change something, with operator, machine, target and outcome', async () => {
    await run('partitions', 'list');
    expect((await run('partitions', 'make', '--months', '1')).code).toBe(0);
    expect((await run('queues', 'retry', 'settle')).code).toBe(0);
    expect((await run('models', 'apply', '/nonexistent')).code).not.toBe(0);
    const rows = await query(
      `SELECT b.actor, b.address, b.action, b.details, e.status FROM admin_actions b
       JOIN admin_actions e ON e.id = b.id || '_end' WHERE b.status = 0 ORDER BY b.id`,
    );
    const by = { actor: expect.stringMatching(/^cli:./), address: expect.stringMatching(/./) };
    expect(rows).toEqual([
      {
        ...by,
        action: 'holdfast partitions',
        details: { arguments: ['make', '--months', '1'] },
        status: 200,
      },
      { ...by, action: 'holdfast queues retry', details: { arguments: ['settle'] }, status: 200 },
      {
        ...by,
        action: 'holdfast models apply',
        details: { arguments: ['/nonexistent'] },
        status: expect.any(Number),
      },
    ]);
  }, 60_000);

  it('are not run when the audit log cannot be written', async () => {
    await query('ALTER TABLE admin_actions RENAME TO admin_actions_away');
    const { code, stderr } = await run('partitions', 'make', '--months', '1');
    expect([code, stderr]).toEqual([3, expect.stringContaining('admin_actions')]);
    await query('ALTER TABLE admin_actions_away RENAME TO admin_actions');
  }, 60_000);
});
