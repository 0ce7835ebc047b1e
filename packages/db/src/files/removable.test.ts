import { newId } from '@holdfast/domain/ids';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { createTestOrganization } from '@holdfast/testkit/testOrganization';
import { afterAll, expect, it } from '@jest/globals';
import { insertUpload } from './insertUpload.ts';
import { markFileReady } from './markReady.ts';
import { listRemovableFiles, markFilesDeleted } from './removable.ts';

const { db, close } = await openTestDatabase();
afterAll(close);

it('a file whose time is over goes with all its bytes: the checked ones, and what was uploaded after', async () => {
  const organizationId = await createTestOrganization(db, '1');
  const upload = { organizationId, filename: 'a.png', contentType: 'image/png', sizeBytes: 1, ttlDays: 1 };
  const [waiting, ready] = [newId('file'), newId('file')];
  for (const id of [waiting, ready]) await insertUpload(db, { ...upload, id });
  const key = `${ready}.sealed`;
  await markFileReady(db, ready, { key, filename: 'a.png', contentType: 'image/png', sizeBytes: 1 });
  expect(await listRemovableFiles(db, 10)).toEqual([]);

  await db.pool.query(`UPDATE files SET expires_at = now() - interval '1 second'`);
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
