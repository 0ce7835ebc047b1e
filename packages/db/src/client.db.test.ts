import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDatabase } from './client.ts';
import { faultOf } from './faults.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

describe('a silent server', () => {
  it('counts as unavailable, and its connection is discarded', async () => {
    const db = openDatabase({
      url: database.url,
      poolSize: 1,
      applicationName: 'test',
      responseTimeoutMs: 100,
    });
    const error = await db.pool.query('SELECT pg_sleep(20)').catch((reason: unknown) => reason);
    expect(faultOf(error)).toBe('unreachable');
    expect(db.pool.totalCount).toBe(0);
    await db.close();
  });
});

describe('a server whose password for our role has changed', () => {
  it('is recognized through the pool and through Prisma', async () => {
    const url = Object.assign(new URL(database.url), { password: 'of-yesterday' }).href;
    const db = openDatabase({ url, poolSize: 1, applicationName: 'test' });
    for (const ask of [() => db.pool.query('SELECT'), () => db.prisma.organization.count()]) {
      const error = await ask().then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(faultOf(error)).toBe('not trusted');
    }
    await db.close();
  });
});
