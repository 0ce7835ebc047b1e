import { newId } from '@holdfast/domain/ids';
import { createTestOrganization } from '@holdfast/testkit/testData';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, expect, it } from '@jest/globals';
import { insertUpload, listRemovableFiles, markFileReady, markFilesDeleted } from './files.ts';

const { db, close } = await openTestDatabase();
afterAll(close);

it('an expired file is removed with all its bytes: the checked ones and later uploads', async () => {
  const organizationId = await createTestOrganization(db, '1');
  const upload = { organizationId, filename: 'a.png', contentType: 'image/png', sizeBytes: 1, ttlDays: 1 };
  const [waiting, ready] = [newId('file'), newId('file')];
  for (const id of [waiting, ready]) await insertUpload(db, { ...upload, id });
  const key = `${ready}.sealed`;
  const found = { key, filename: 'a.png', contentType: 'image/png', sizeBytes: 1 };
  await markFileReady(db, ready, { ...found, width: null, height: null, durationMs: null });
  expect(await listRemovableFiles(db, 10)).toEqual([]);

  await db.pool.query(`UPDATE files SET expires_at = now() - interval '1 second'`);
  // Their upload URLs still work.
  expect(await listRemovableFiles(db, 10)).toEqual([]);
  await db.pool.query(`UPDATE files SET created_at = now() - interval '121 minutes'`);
  const removable = await listRemovableFiles(db, 10);
  expect(new Map(removable.map(({ id, keys }) => [id, keys]))).toEqual(
    new Map([
      [waiting, [waiting]],
      [ready, [ready, key]],
    ]),
  );
  await markFilesDeleted(db, [waiting, ready]);
  expect(await listRemovableFiles(db, 10)).toEqual([]);
});
