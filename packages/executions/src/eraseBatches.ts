import { batchesToErase, eraseNextItems, recordErased } from '@holdfast/db/batches/erase';
import type { Database } from '@holdfast/db/client';
import { eraseExecution } from '@holdfast/db/executions/erase';
import type { Logger } from '@holdfast/kit/logger';

const pageSize = 100;
const erasedAtOnce = 8;

/** Erases the items of erased batches and their executions. A process that dies leaves the rest to the next run, of any process. */
export async function eraseBatchItems(db: Database, log: Logger): Promise<void> {
  for (const id of await batchesToErase(db)) {
    try {
      await eraseItemsOf(db, id);
    } catch (error) {
      log.warn({ err: error, batchId: id }, 'could not erase the items of a batch; the next sweep will');
    }
  }
}

async function eraseItemsOf(db: Database, id: string): Promise<void> {
  for (let last: string | null = ''; last !== null; ) {
    const page = await eraseNextItems(db, id, pageSize);
    if (page === null) return;
    for (let at = 0; at < page.executionIds.length; at += erasedAtOnce) {
      const some = page.executionIds.slice(at, at + erasedAtOnce);
      await Promise.all(some.map((one) => eraseExecution(db, page.organizationId, one)));
    }
    await recordErased(db, id, page.last);
    last = page.last;
  }
}
