import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

export type Arrival = { executionId: string; type: string; atMs: number };

export type Receiver = {
  url: string;
  /** When the webhook of the execution's completion came, as of `nowMs`; waits for it. */
  arrival(executionId: string): Promise<number>;
  /** Events received more than once: at-least-once allows it, but at rest there should be none. */
  repeats(): number;
  close(): Promise<void>;
};

/** Starts a webhook receiver on a free port of the loopback address. */
export async function startReceiver(): Promise<Receiver> {
  const thread = new Worker(join(import.meta.dirname, 'receiverThread.ts'), { name: 'receiver' });
  const [port] = (await once(thread, 'message')) as [number];
  const awaited = new Map<string, PromiseWithResolvers<number>>();
  const seen = new Set<string>();
  let repeats = 0;

  const entry = (id: string) => {
    const known = awaited.get(id);
    if (known) return known;
    const fresh = Promise.withResolvers<number>();
    // Whoever asks for it hears of it; before that it is nobody's failure.
    fresh.promise.catch(() => undefined);
    awaited.set(id, fresh);
    return fresh;
  };
  thread.on('message', (arrivals: Arrival[]) => {
    for (const { executionId, type, atMs } of arrivals) {
      if (seen.has(executionId)) repeats += 1;
      seen.add(executionId);
      if (type === 'execution.completed') entry(executionId).resolve(atMs);
      else entry(executionId).reject(new Error(`${executionId} ended as ${type}`));
    }
  });

  return {
    url: `http://127.0.0.1:${port}/`,
    repeats: () => repeats,
    arrival: async (id) => {
      const atMs = await entry(id).promise;
      awaited.delete(id);
      return atMs;
    },
    close: async () => void (await thread.terminate()),
  };
}
