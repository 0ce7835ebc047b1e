import { availableParallelism } from 'node:os';

/** Pictures take memory and a core each: no more at once than there are cores, nor than Node's worker threads. */
const slots = Math.min(availableParallelism(), 4);

let free = slots;
const waiting: (() => void)[] = [];

/** Runs `work` when a slot is free; not at all when the run is cancelled by then. */
export async function withPictureSlot<Result>(
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  if (free > 0) free -= 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    signal.throwIfAborted();
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  }
}
