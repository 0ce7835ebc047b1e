import { within } from '@holdfast/kit/within';

/** Whether a worker takes jobs. */
export type WorkerMonitor = {
  /** Counts a job as in hand while it is worked on. */
  during<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Resolves when no job is in hand. */
  idle(): Promise<void>;
  /** To be called from time to time. Never rejects. */
  look(): Promise<void>;
  /** Null while jobs are being taken; else what is wrong (for /healthz). */
  problem(): string | null;
};

const silentAfterMs = 15_000;
const deadAfterMs = 60_000;
const answerWithinMs = 2000;

/**
 * A worker can fall silent after a Redis outage while it still claims to run. So jobs that wait while nothing is taken
 * get a new one by `renew`, and if that does not help either, the process is unhealthy. While Redis is away, or does
 * not answer, nobody can take jobs, and a new process could not either.
 */
export function createWorkerMonitor(args: {
  queue: string;
  /** Jobs in Redis that could be taken now. */
  waiting(): Promise<number>;
  renew(): void;
  nowMs?: () => number;
}): WorkerMonitor {
  const { queue, waiting, renew, nowMs = () => performance.now() } = args;
  let active = 0;
  const onIdle: (() => void)[] = [];
  let progressMs = nowMs();
  let renewedMs = Number.NEGATIVE_INFINITY;

  return {
    async during(work) {
      active += 1;
      progressMs = nowMs();
      try {
        return await work();
      } finally {
        active -= 1;
        progressMs = nowMs();
        if (active === 0) for (const listener of onIdle.splice(0)) listener();
      }
    },
    idle: () => (active === 0 ? Promise.resolve() : new Promise((resolve) => onIdle.push(resolve))),
    async look() {
      const count = await within(answerWithinMs, `counting ${queue}`, waiting()).catch(() => 0);
      if (count === 0 || active > 0) progressMs = nowMs();
      if (nowMs() - Math.max(progressMs, renewedMs) < silentAfterMs) return;
      renewedMs = nowMs();
      renew();
    },
    problem: () => (nowMs() - progressMs > deadAfterMs ? `no job of ${queue} was taken for a minute` : null),
  };
}
