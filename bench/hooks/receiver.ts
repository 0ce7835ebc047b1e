import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

/** `eventAtMs`: when the event happened, as it says itself. */
export type HookArrival = { path: string; eventAtMs: number; atMs: number };

/** Paths that are never answered. */
export type ReceiverCommand = { hang: string[] };

export type HookReceiver = {
  url: string;
  /** All that came so far. */
  arrivals: HookArrival[];
  /** Resolves once so many have come; rejects when none comes for a minute. */
  until(count: number): Promise<void>;
  hang(paths: string[]): void;
  close(): Promise<void>;
};

/** Starts a receiver of webhooks on a free port of the loopback address. */
export async function startHookReceiver(): Promise<HookReceiver> {
  const thread = new Worker(join(import.meta.dirname, 'receiverThread.ts'), { name: 'receiver' });
  const send = thread.postMessage.bind(thread);
  const [port] = (await once(thread, 'message')) as [number];
  const arrivals: HookArrival[] = [];
  const told = new EventTarget();
  thread.on('message', (batch: HookArrival[]) => {
    arrivals.push(...batch);
    told.dispatchEvent(new Event('arrivals'));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    arrivals,
    async until(count) {
      while (arrivals.length < count) {
        const stalled = AbortSignal.timeout(60_000);
        await once(told, 'arrivals', { signal: stalled }).catch(() => {
          throw new Error(`${count - arrivals.length} webhooks have not come, and none came for a minute`);
        });
      }
    },
    hang(paths) {
      const command: ReceiverCommand = { hang: paths };
      send(command);
    },
    close: async () => void (await thread.terminate()),
  };
}
