import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

export type BareLoop = {
  url: string;
  bodies: string[];
  headers: Record<string, string>;
  count: number;
  /** Requests open at once. */
  atOnce: number;
};

/** How many seconds a loop takes that only posts, from a thread of its own. */
export async function bareLoopSeconds(loop: BareLoop): Promise<number> {
  const thread = new Worker(join(import.meta.dirname, 'bareThread.ts'), { name: 'bare', workerData: loop });
  const [seconds] = (await once(thread, 'message')) as [number];
  await thread.terminate();
  return seconds;
}
