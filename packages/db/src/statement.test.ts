import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { expect, it } from '@jest/globals';
import { openDatabase } from './client.ts';
import { inTransaction } from './statement.ts';

it('a connection that breaks in the middle of a transaction fails it, and not the process', async () => {
  const { url, drop } = await createTestDatabase();
  const db = openDatabase({ url, poolSize: 2, applicationName: 'test' });
  const broken = inTransaction(db, async (client) => {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await db.pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
    await client.query('SELECT 1');
  });
  await expect(broken).rejects.toThrow();
  expect(await inTransaction(db, async () => 'well')).toBe('well');
  await db.close();
  await drop();
});
