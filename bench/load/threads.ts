import { once } from 'node:events';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';

// A garbage collection of the load delays its requests, and its threads would take the cores of the services.
setFlagsFromString('--min-semi-space-size=16');
setFlagsFromString('--no-parallel-scavenge');

/** Closed loop by `clients`, or open loop at a fixed rate. */
export type Load = {
  /** API keys that take turns. */
  keys: string[];
  clients: number;
  count?: number;
  seconds?: number;
  /** Arrivals per second at fixed times; latency counts from the due time. */
  ratePerS?: number;
  /** JSON; without it, a short prompt of `sandbox-text`. */
  body?: string;
};

export type Created = {
  id: string;
  /** When it was due, as of `nowMs`; latency counts from then. */
  sentAtMs: number;
  latencyMs: number;
  /** The index of its API key. */
  keyIndex: number;
};

export type Generator = {
  run(load: Load): Promise<Created[]>;
  close(): Promise<void>;
};

export type LoadResult = { created: Created[] } | { error: string };

/** In its own thread, so that other work does not delay requests. */
export function openGenerator(origin: string): Generator {
  const { hostname, port } = new URL(origin);
  const { thread, send, close } = openThread('createThread.ts', 'load', {
    host: hostname,
    port: Number(port),
  });
  return {
    async run(load) {
      send(load);
      const [result] = (await once(thread, 'message')) as [LoadResult];
      if ('error' in result) throw new Error(result.error);
      return result.created;
    },
    close,
  };
}

/** `count` posts of these bodies in turn. */
export type Posts = { url: string; bodies: string[]; headers: Record<string, string>; count: number };

export type BareLoops = {
  /** Posts per second of loops that wait for each response. */
  run(loops: number): Promise<number>;
  close(): Promise<void>;
};

/** The webhook-sender's HTTP client in a thread that only posts. */
export function openBareLoops(posts: Posts): BareLoops {
  const { thread, send, close } = openThread('postThread.ts', 'bare', posts);
  return {
    async run(loops) {
      send(loops);
      const [seconds] = (await once(thread, 'message')) as [number];
      return posts.count / seconds;
    },
    close,
  };
}

/** The cheapest possible gateway, to measure what the load itself costs. */
export async function startTrivialServer(): Promise<{ origin: string; close(): Promise<void> }> {
  const { thread, close } = openThread('trivialServerThread.ts', 'trivial', null);
  const [port] = (await once(thread, 'message')) as [number];
  return { origin: `http://127.0.0.1:${port}`, close };
}

function openThread(file: string, name: string, workerData: unknown) {
  const thread = new Worker(join(import.meta.dirname, file), { name, workerData });
  return {
    thread,
    send: thread.postMessage.bind(thread),
    close: async () => void (await thread.terminate()),
  };
}
