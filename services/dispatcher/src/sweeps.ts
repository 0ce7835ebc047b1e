import { listRemovableFiles, markFilesDeleted } from '@holdfast/db/files/removable';
import { abandonedAttempts, attemptsToPoll, staleCallbacks, stalePending } from '@holdfast/db/sweeps/due';
import { type Sweeps, startSweep, sweepGroup, type Turn } from '@holdfast/kit/sweep';
import { dispatchJobs } from '@holdfast/queues/dispatch';
import type { Context } from './context.ts';
import type { Queues } from './queues.ts';

/** Everything a lost job, or a lost dispatcher, would leave undone. */
export function startSweeps(
  context: Context,
  queues: Queues,
  turnOf: (sweep: string, intervalMs: number) => Turn,
): Sweeps {
  const { db, log } = context;
  const sweep = (name: string, intervalMs: number, work: () => Promise<void>) =>
    startSweep({ name, intervalMs, log, work, isTurn: turnOf(name, intervalMs) });
  return sweepGroup([
    sweep('stale pending', 5000, async () => {
      await queues.dispatch.addAll(dispatchJobs(await stalePending(db, 5, 2000)));
    }),
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
