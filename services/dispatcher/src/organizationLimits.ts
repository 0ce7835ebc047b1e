import type { Database } from '@holdfast/db/client';
import { concurrencyLimits } from '@holdfast/db/organizations';

const believedMs = 5000;

/** How many runs at once organizations may have that have a limit of their own, read at most every 5 s. */
export function openOrganizationLimits(db: Database): () => Promise<ReadonlyMap<string, number>> {
  let reading: Promise<ReadonlyMap<string, number>> | null = null;
  let readAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (reading === null || performance.now() - readAtMs > believedMs) {
      readAtMs = performance.now();
      reading = concurrencyLimits(db);
      reading.catch(() => {
        readAtMs = Number.NEGATIVE_INFINITY;
      });
    }
    return reading;
  };
}
