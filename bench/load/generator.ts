import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Created } from './created.ts';

/** Closed loop by `clients`, or open loop at a fixed rate. */
export type Load = {
  keys: string[];
  clients: number;
  count?: number;
  seconds?: number;
  /** Arrivals per second at fixed times; latency counts from the due time. */
  ratePerS?: number;
};

export type Generator = {
  run(load: Load): Promise<Created[]>;
  close(): Promise<void>;
};

export type Ran = { created: Created[] } | { failed: string };

/** In its own thread, so that other work does not delay requests. */
export function openGenerator(origin: string): Generator {
  const { hostname, port } = new URL(origin);
  const thread = new Worker(join(import.meta.dirname, 'thread.ts'), {
    name: 'load',
    workerData: { host: hostname, port: Number(port) },
  });
  const send = thread.postMessage.bind(thread);
  return {
    async run(load) {
      send(load);
      const [ran] = (await once(thread, 'message')) as [Ran];
      if ('failed' in ran) throw new Error(ran.failed);
      return ran.created;
    },
    close: async () => void (await thread.terminate()),
  };
}
