import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Created } from './created.ts';

/** What to send: by `clients` that each send the next when the last was answered, or at a fixed rate. */
export type Load = {
  /** API keys, taken in turn. */
  keys: string[];
  clients: number;
  /** How many in all; else as many as fit into `seconds`. */
  count?: number;
  seconds?: number;
  /** Arrivals per second at fixed times, whatever the answers; latency counts from the time at which one was due. */
  ratePerS?: number;
};

export type Generator = {
  /** Rejects when a create is refused. */
  run(load: Load): Promise<Created[]>;
  close(): Promise<void>;
};

export type Ran = { created: Created[] } | { failed: string };

/** Creates executions from a thread of its own, so that nothing else here delays them. */
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
