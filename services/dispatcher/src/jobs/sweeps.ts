import { markStopped } from '@holdfast/db/attempts/lease';
import { clearStreams } from '@holdfast/db/streams';
import {
  abandonedAttempts,
  attemptsToPoll,
  type DueWork,
  pendingRetries,
  staleCallbacks,
  stalePendingExecutions,
} from '@holdfast/db/sweeps';
import type { Activity } from '@holdfast/kit/activity';
import type { Logger } from '@holdfast/kit/logger';
import { type Sweeps, startSweep, sweepGroup, type TurnOf } from '@holdfast/kit/sweep';
import { dispatchJobs } from '@holdfast/queues/definitions';
import type { Files } from '../attempt/outputFile.ts';
import { firstTry, toPendingRetry } from '../schedule/backlog.ts';
import type { Scheduler } from '../schedule/scheduler.ts';
import type { Slots } from '../schedule/slots.ts';
import { removeExpiredFiles } from './fileRemoval.ts';
import type { Jobs, Queues } from './workers.ts';

/** After that a pending execution may have lost its job. */
const staleAfterS = 5;
const maxOfOrganization = 2000;
const clearedAtOnce = 500;

export function startSweeps(args: {
  files: Pick<Files, 'db' | 'store'>;
  slots: Pick<Slots, 'reconcile'>;
  scheduler: Pick<Scheduler, 'add'>;
  queues: Queues;
  jobs: Jobs;
  /** How many of `jobs` may run at once. */
  concurrency: number;
  streamRetentionS: number;
  activity: Activity;
  turnOf: TurnOf;
  log: Logger;
}): Sweeps {
  const { slots, scheduler, queues, jobs, activity, turnOf, log, streamRetentionS } = args;
  const { db } = args.files;
  const sweep = (name: string, intervalMs: number, work: () => Promise<void>) =>
    startSweep({ name, intervalMs, log, work, isTurn: turnOf(name, intervalMs) });
  const here = createWork(args);
  const sweepPending = (name: string, intervalMs: number, work: () => Promise<void>) =>
    startSweep({ name, intervalMs, log, work, isTurn: turnOf(name, intervalMs), activity });
  const sweeps = sweepGroup([
    sweepPending('stale pending', 2000, async () => {
      const stale = await stalePendingExecutions(db, staleAfterS, maxOfOrganization);
      // Here too: the queue may take jobs that no dispatcher gets.
      scheduler.add(stale.map(firstTry));
      await queues.dispatch.addAll(dispatchJobs(stale));
    }),
    sweepPending('waiting tries', 500, async () => {
      const { due, over } = await pendingRetries(db);
      // They were not sent to a provider, so there is no run to cancel.
      if (over.length > 0) await markStopped(db, over);
      scheduler.add(due.map(toPendingRetry));
    }),
    sweep('counted runs', 10_000, () => slots.reconcile()),
    sweepPending('abandoned runs', 2000, async () => {
      const due = await abandonedAttempts(db);
      const areAdded = await queues.recover.addAll(due.map(({ id }) => ({ attemptId: id })));
      here.start(due, areAdded, jobs.recover);
    }),
    sweepPending('runs to poll', 500, async () => {
      const due = await attemptsToPoll(db);
      const areAdded = await queues.poll.addAll(due.map(({ id }) => ({ attemptId: id })));
      here.start(due, areAdded, jobs.poll);
    }),
    sweepPending('stale callbacks', 5000, async () => {
      const due = await staleCallbacks(db, 5);
      const areAdded = await queues.callback.addAll(due.map(({ id }) => ({ callbackId: id })));
      here.start(due, areAdded, jobs.callback);
    }),
    sweep('streams to clear', 60_000, async () => {
      while ((await clearStreams(db, streamRetentionS, clearedAtOnce)) === clearedAtOnce) {}
    }),
    sweep('files to remove', 60_000, () => removeExpiredFiles(args.files)),
  ]);
  return {
    ...sweeps,
    async stop() {
      await sweeps.stop();
      await here.ended();
    },
  };
}

/** Does work that its queue does not take or hand out, as much as has room. A sweep finds the rest, and what failed. */
function createWork({ concurrency, log }: { concurrency: number; log: Logger }) {
  const running = new Map<string, Promise<void>>();
  return {
    start(due: DueWork[], areAdded: boolean, job: (id: string) => Promise<void>): void {
      const left = due.filter(({ id, isLate }) => (isLate || !areAdded) && !running.has(id));
      for (const { id } of left.slice(0, concurrency - running.size)) {
        const ended = job(id)
          .catch((error: unknown) => log.error({ err: error, id }, 'job failed without its queue'))
          .finally(() => running.delete(id));
        running.set(id, ended);
      }
    },
    ended: async () => void (await Promise.all(running.values())),
  };
}
