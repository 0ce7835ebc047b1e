import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, expect, it } from '@jest/globals';
import { listFilesForPurpose } from './files.ts';
import { explainReads } from './testing/explainReads.ts';

const { db, close } = await openTestDatabase();
afterAll(close);
await db.pool.query(`INSERT INTO files (id, organization_id, origin, state, filename, purpose)
  SELECT 'file_' || lpad(i::text, 8, '0'), 'org_own', 'upload', 'ready', 'a', CASE WHEN i % 1000 = 0 THEN 'vision' END
  FROM generate_series(1, 20000) AS i`);
await db.pool.query('ANALYZE files');

it.each([
  ['asc', ['00008000', '00009000']],
  ['desc', ['00006000', '00005000']],
] as const)('a list of uploads for a purpose (%s) reads no other files', async (order, following) => {
  const page = { purpose: null, after: 'file_00007000', order, limit: 2 };
  const list = (of: typeof db) => listFilesForPurpose(of, 'org_own', page);
  expect((await explainReads(db, list)).rows).toBe(2);
  expect((await list(db)).map(({ id }) => id)).toEqual(following.map((number) => `file_${number}`));
});
