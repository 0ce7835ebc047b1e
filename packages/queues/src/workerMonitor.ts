import { within } from '@holdfast/kit/within';

export type WorkerMonitor = {
  during<Result>(work: () => Promise<Result>): Promise<Result>;
  idle(): Promise<void>;
  look(): Promise<void>;
  /** For /healthz: null while jobs are taken. */
  problem(): string | null;
};

/** With a look every 10 s, at the second one without progress. */
const silentAfterMs = 15_000;
const deadAfterMs = 60_000;
const responseWithinMs = 2000;

/** After a Redis outage a worker can silently stop taking jobs: it is renewed, or else the process is unhealthy. */
export function createWorkerMonitor(args: {
  queue: string;
  waiting(): Promise<number>;
  renew(): void;
  nowMs?: () => number;
}): WorkerMonitor {
  const { queue, waiting, renew, nowMs = () => performance.now() } = args;
  let active = 0;
  const idleListeners: (() => void)[] = [];
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
        if (active === 0) for (const listener of idleListeners.splice(0)) listener();
      }
    },
    idle: () => (active === 0 ? Promise.resolve() : new Promise((resolve) => idleListeners.push(resolve))),
    async look() {
      // Not stuck while Redis is unavailable: no new process could do better.
      const count = await within(responseWithinMs, `counting ${queue}`, waiting()).catch(() => 0);
      if (count === 0 || active > 0) progressMs = nowMs();
      if (nowMs() - Math.max(progressMs, renewedMs) < silentAfterMs) return;
      renewedMs = nowMs();
      renew();
    },
    problem: () => (nowMs() - progressMs > deadAfterMs ? `no job of ${queue} was taken for a minute` : null),
  };
}
