import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

/** `eventAtMs`: the event's own timestamp. Ids are empty where the event has none. */
export type Arrival = {
  path: string;
  eventId: string;
  executionId: string;
  type: string;
  eventAtMs: number;
  atMs: number;
};

/** Requests to `hanging` paths get no response. While it is down, all get 503 and none counts as an arrival. */
export type ReceiverSettings = { hanging: string[]; isDown: boolean };

/** `raw` costs the least CPU; `node` is Node's HTTP server, as most receivers are written. */
export type ServerKind = 'raw' | 'node';

export type Receiver = {
  url: string;
  configure(settings: Partial<ReceiverSettings>): void;
  close(): Promise<void>;
};

export async function startReceiver(
  server: ServerKind,
  onArrivals: (arrivals: Arrival[]) => void,
): Promise<Receiver> {
  const thread = new Worker(join(import.meta.dirname, 'receiverThread.ts'), {
    name: 'receiver',
    workerData: server,
  });
  const [port] = (await once(thread, 'message')) as [number];
  thread.on('message', onArrivals);
  const send = thread.postMessage.bind(thread);
  return {
    url: `http://127.0.0.1:${port}`,
    configure: (settings) => send(settings),
    close: async () => void (await thread.terminate()),
  };
}

export type CompletionReceiver = Receiver & {
  /** Waits for the webhook of the execution's completion; as of `nowMs`. */
  arrival(executionId: string): Promise<number>;
  /** At-least-once delivery allows repeats, but an idle system should have none. */
  repeats(): number;
};

export async function startCompletionReceiver(): Promise<CompletionReceiver> {
  const awaited = new Map<string, PromiseWithResolvers<number>>();
  const seen = new Set<string>();
  let repeats = 0;

  const entry = (id: string) => {
    const known = awaited.get(id);
    if (known) return known;
    const fresh = Promise.withResolvers<number>();
    // A rejection before `arrival` is called must not end the process.
    fresh.promise.catch(() => undefined);
    awaited.set(id, fresh);
    return fresh;
  };
  const receiver = await startReceiver('raw', (arrivals) => {
    for (const { executionId, type, atMs } of arrivals) {
      if (executionId === '') throw new Error(`a webhook of type ${type} without an execution_id`);
      if (seen.has(executionId)) repeats += 1;
      seen.add(executionId);
      if (type === 'execution.completed') entry(executionId).resolve(atMs);
      else entry(executionId).reject(new Error(`${executionId} ended as ${type}`));
    }
  });

  return {
    ...receiver,
    repeats: () => repeats,
    arrival: async (id) => {
      const atMs = await entry(id).promise;
      awaited.delete(id);
      return atMs;
    },
  };
}

export type CollectingReceiver = Receiver & {
  arrivals: Arrival[];
  /** Rejects when none comes for a minute. */
  until(count: number): Promise<void>;
};

export async function startCollectingReceiver(): Promise<CollectingReceiver> {
  const arrivals: Arrival[] = [];
  const target = new EventTarget();
  const receiver = await startReceiver('node', (batch) => {
    arrivals.push(...batch);
    target.dispatchEvent(new Event('arrivals'));
  });
  return {
    ...receiver,
    arrivals,
    async until(count) {
      while (arrivals.length < count) {
        const stalled = AbortSignal.timeout(60_000);
        await once(target, 'arrivals', { signal: stalled }).catch(() => {
          throw new Error(`${count - arrivals.length} webhooks are missing, and none arrived for a minute`);
        });
      }
    },
  };
}
