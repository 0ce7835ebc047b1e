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

/**
 * Requests to `hanging` paths get no response, others theirs after `responseMs`. While the receiver is down, all get 503
 * and none counts as an arrival.
 */
export type ReceiverSettings = { hanging: string[]; responseMs: number; isDown: boolean };

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
