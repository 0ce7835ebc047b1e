export type FairLimiter = <Result>(owner: string, work: () => Promise<Result>) => Promise<Result>;

/** `timeoutError`: what a call throws that has not started `afterMs` later. */
type Patience = { afterMs: number; timeoutError: () => Error };

/** Owners take turns; the work of one owner starts in the order of its calls. */
export function createFairLimiter(
  maxRunning: number,
  maxOfOwner = maxRunning,
  patience: Patience | null = null,
): FairLimiter {
  const running = new Map<string, number>();
  const queues = new Map<string, (() => void)[]>();
  let free = maxRunning;

  const runningOf = (owner: string) => running.get(owner) ?? 0;
  const hasRoom = (owner: string) => free > 0 && runningOf(owner) < maxOfOwner;

  function take(owner: string): void {
    free -= 1;
    running.set(owner, runningOf(owner) + 1);
  }

  function release(owner: string): void {
    free += 1;
    if (runningOf(owner) > 1) running.set(owner, runningOf(owner) - 1);
    else running.delete(owner);
  }

  /** Takes its turn before the work resumes, so that no new call can come in between. */
  function startNext(): void {
    for (const [owner, queue] of queues) {
      if (free === 0) return;
      if (!hasRoom(owner)) continue;
      const start = queue.shift();
      queues.delete(owner);
      if (queue.length > 0) queues.set(owner, queue);
      take(owner);
      start?.();
    }
  }

  function waitInQueue(owner: string): Promise<void> {
    const queue = queues.get(owner) ?? [];
    queues.set(owner, queue);
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(timer ?? undefined);
        resolve();
      };
      queue.push(start);
      const timer = patience && setTimeout(refuse, patience.afterMs);
      function refuse(): void {
        queue.splice(queue.indexOf(start), 1);
        if (queue.length === 0) queues.delete(owner);
        reject(patience?.timeoutError());
      }
    });
  }

  return async (owner, work) => {
    if (hasRoom(owner) && !queues.has(owner)) take(owner);
    else await waitInQueue(owner);
    try {
      return await work();
    } finally {
      release(owner);
      startNext();
    }
  };
}
