import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

export type BareLoop = { url: string; bodies: string[]; headers: Record<string, string>; count: number };

export type BareLoops = {
  run(loops: number): Promise<number>;
  close(): Promise<void>;
};

/** Only posts, in its own thread. */
export function openBareLoops(loop: BareLoop): BareLoops {
  const thread = new Worker(join(import.meta.dirname, 'bareThread.ts'), { name: 'bare', workerData: loop });
  const send = thread.postMessage.bind(thread);
  return {
    async run(loops) {
      send(loops);
      const [seconds] = (await once(thread, 'message')) as [number];
      return loop.count / seconds;
    },
    close: async () => void (await thread.terminate()),
  };
}
