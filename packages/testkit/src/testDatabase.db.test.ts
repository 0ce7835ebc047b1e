import { openDatabase } from '@holdfast/db/client';
import { describe, expect, it } from '@jest/globals';
import { createTestDatabase } from './testDatabase.ts';

describe('createTestDatabase', () => {
  it('gives every caller a migrated database of its own', async () => {
    const [one, other] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    const databases = [one, other].map(({ url }) =>
      openDatabase({ url, poolSize: 1, applicationName: 'test' }),
    );
    const [first, second] = databases;
    await first?.pool.query("INSERT INTO models (slug, definition) VALUES ('only-here', '{}')");
    expect(await first?.prisma.model.count()).toBe(1);
    expect(await second?.prisma.model.count()).toBe(0);
    await Promise.all(databases.map((database) => database.close()));
    await Promise.all([one.drop(), other.drop()]);
  });

  it('drops a database that is still in use', async () => {
    const { url, drop } = await createTestDatabase();
    const database = openDatabase({ url, poolSize: 1, applicationName: 'test' });
    database.pool.on('error', () => {});
    await database.pool.query('SELECT 1');
    await drop();
    await expect(database.pool.query('SELECT 1')).rejects.toThrow();
    await database.close();
  });
});
