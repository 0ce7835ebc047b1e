import { insertOutput, listRemovableFiles } from '@holdfast/db/files';
import { newId } from '@holdfast/domain/ids';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startCopying } from '../attempt/testing/copying.ts';
import { removeExpiredFiles } from './fileRemoval.ts';

let copying: Awaited<ReturnType<typeof startCopying>>;
beforeAll(async () => {
  copying = await startCopying();
});
afterAll(() => copying.close());

async function expiredOutput(minutesAgo: number): Promise<string> {
  const { db, store } = copying.files;
  const { executionId, organizationId } = await copying.newRun();
  const id = newId('file');
  await insertOutput(db, {
    id,
    key: id,
    organizationId,
    executionId,
    filename: 'a.txt',
    contentType: 'text/plain',
  });
  await store.put(id, Buffer.from('a'), { contentType: 'text/plain' });
  await db.pool.query(`UPDATE files SET expires_at = now() - $2 * interval '1 minute' WHERE id = $1`, [
    id,
    minutesAgo,
  ]);
  return id;
}

it('files that the store does not remove keep no others from removal, however many they are', async () => {
  const { db, store } = copying.files;
  const stuck = [await expiredOutput(60), await expiredOutput(59), await expiredOutput(58)];
  const others = [await expiredOutput(3), await expiredOutput(2), await expiredOutput(1)];
  const failing = {
    async remove(key: string) {
      if (stuck.includes(key)) throw new Error('AccessDenied');
      await store.remove(key);
    },
  };

  const removal = removeExpiredFiles({ db, store: failing }, 2);
  await expect(removal).rejects.toThrow('3 expired files could not be removed');
  expect((await listRemovableFiles(db, 100)).map(({ id }) => id)).toEqual(stuck);
  for (const id of others) expect(await store.stat(id)).toBeNull();

  await removeExpiredFiles({ db, store }, 2);
  expect(await listRemovableFiles(db, 100)).toEqual([]);
  for (const id of stuck) expect(await store.stat(id)).toBeNull();
});
