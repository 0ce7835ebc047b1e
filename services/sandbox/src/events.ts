import { once } from 'node:events';
import type { Response } from 'express';
import type { Run } from './runs.ts';

type RunEvent = { event: 'start' | 'output' | 'log' | 'metric' | 'completed' | 'error'; data: object };

/** A run's last events, which every reader gets from the first. */
export type RunEvents = {
  add(event: RunEvent['event'], data: object): void;
  /** Ends with `completed`, or with an `error` for a reader that comes too late or falls too far behind. */
  read(): AsyncGenerator<RunEvent>;
};

/** Cog's COG_STREAM_HISTORY_CAPACITY. */
const maxKept = 1024;

export function createRunEvents(): RunEvents {
  const kept: RunEvent[] = [];
  let dropped = 0;
  let added = Promise.withResolvers<void>();
  return {
    add(event, data) {
      kept.push({ event, data });
      if (kept.length > maxKept) {
        kept.shift();
        dropped += 1;
      }
      added.resolve();
      added = Promise.withResolvers();
    },
    async *read() {
      for (let next = 0; ; next++) {
        while (next >= dropped + kept.length) await added.promise;
        const event = kept[next - dropped];
        const skipped = dropped - next;
        const shown: RunEvent = event ?? { event: 'error', data: { error: lost(next), skipped } };
        yield shown;
        if (event === undefined || event.event === 'completed') break;
      }
    },
  };
}

function lost(next: number): string {
  const what = next === 0 ? 'SSE stream replay truncated' : 'SSE stream lagged';
  return `${what}; events were dropped`;
}

const keepAliveMs = 15_000;

/** Reads the run's events from the first. */
export async function sendEvents(run: Run, response: Response): Promise<void> {
  const closed = new AbortController();
  run.readers.add(response);
  response.once('close', () => {
    closed.abort();
    run.readers.delete(response);
    if (run.isStreamed && run.readers.size === 0) run.cancel();
  });
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.flushHeaders();
  const keepAlive = setInterval(() => response.write(': keep-alive\n\n'), keepAliveMs);
  for await (const { event, data } of run.events.read()) {
    if (closed.signal.aborted) break;
    if (!response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`))
      await once(response, 'drain', { signal: closed.signal }).catch(() => undefined);
  }
  clearInterval(keepAlive);
  response.end();
}
