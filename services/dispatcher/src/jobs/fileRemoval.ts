import type { Database } from '@holdfast/db/client';
import { listRemovableFiles, markFilesDeleted, type RemovableFile } from '@holdfast/db/files';
import type { ObjectStore } from '@holdfast/files/store';
import { createFairLimiter } from '@holdfast/kit/fairLimiter';

const pageSize = 500;
const removalsAtOnce = 16;
const maxSweepMs = 60_000;

/**
 * Removes expired files, the oldest first. What cannot be removed stays for the next time. @throws after the others, with
 * the first reason
 */
export async function removeExpiredFiles(
  { db, store }: { db: Database; store: Pick<ObjectStore, 'remove'> },
  limit = pageSize,
): Promise<void> {
  const startedAtMs = performance.now();
  const limited = createFairLimiter(removalsAtOnce);
  const failures: unknown[] = [];
  const remove = async ({ id, keys }: RemovableFile): Promise<string[]> => {
    try {
      for (const key of keys) await store.remove(key);
      return [id];
    } catch (error) {
      failures.push(error);
      return [];
    }
  };

  let page: RemovableFile[] = [];
  do {
    page = await listRemovableFiles(db, limit, page.at(-1));
    const removed = await Promise.all(page.map((file) => limited('', () => remove(file))));
    await markFilesDeleted(db, removed.flat());
  } while (page.length === limit && performance.now() - startedAtMs < maxSweepMs);
  if (failures.length > 0)
    throw new Error(`${failures.length} expired files could not be removed`, { cause: failures[0] });
}
