import { markStopped } from '@holdfast/db/attempts/lease';
import { listRemovableFiles, markFilesDeleted } from '@holdfast/db/files';
import {
  abandonedAttempts,
  attemptsToPoll,
  pendingRetries,
  staleCallbacks,
  stalePendingExecutions,
} from '@holdfast/db/sweeps';
import { type Sweeps, startSweep, sweepGroup, type TakeTurn } from '@holdfast/kit/sweep';
import { dispatchJobs } from '@holdfast/queues/definitions';
import type { Context } from './context.ts';
import { countRuns } from './countRuns.ts';
import { firstTry, retry } from './jobs/dispatch.ts';
import type { Queues } from './queues.ts';

/** What is pending for so long may have lost its job; so many of each organization are looked at. */
const staleAfterS = 5;
const mostOfEach = 2000;

/** Everything a lost job, or a lost dispatcher, would leave undone. */
export function startSweeps(
  context: Context,
  queues: Queues,
  turnOf: (sweep: string, intervalMs: number) => TakeTurn,
): Sweeps {
  const { db, log } = context;
  const sweep = (name: string, intervalMs: number, work: () => Promise<void>) =>
    startSweep({ name, intervalMs, log, work, isTurn: turnOf(name, intervalMs) });
  return sweepGroup([
    sweep('stale pending', 2000, async () => {
      const stale = await stalePendingExecutions(db, staleAfterS, mostOfEach);
      // Nobody's limit is exceeded without Redis, and whoever has none need not wait for it.
      if (context.isRedisUp()) await queues.dispatch.addAll(dispatchJobs(stale));
      else context.scheduler.add(stale.map(firstTry));
    }),
    sweep('waiting tries', 500, async () => {
      const { due, over } = await pendingRetries(db);
      // Nothing was sent of them: there is nobody to tell.
      if (over.length > 0) await markStopped(db, over);
      if (context.isRedisUp()) await queues.retry.addAll(due);
      else for (const one of due) await retry(context, one);
    }),
    sweep('counted runs', 10_000, () => countRuns(context)),
    sweep('abandoned runs', 2000, async () => {
      const ids = await abandonedAttempts(db);
      await queues.recover.addAll(ids.map((attemptId) => ({ attemptId })));
    }),
    sweep('runs to poll', 500, async () => {
      const ids = await attemptsToPoll(db);
      await queues.poll.addAll(ids.map((attemptId) => ({ attemptId })));
    }),
    sweep('stale callbacks', 5000, async () => {
      const ids = await staleCallbacks(db, 5);
      await queues.callback.addAll(ids.map((callbackId) => ({ callbackId })));
    }),
    sweep('files to remove', 60_000, async () => {
      const files = await listRemovableFiles(db, 500);
      for (const key of files.flatMap(({ keys }) => keys)) await context.store.remove(key);
      await markFilesDeleted(
        db,
        files.map(({ id }) => id),
      );
    }),
  ]);
}
