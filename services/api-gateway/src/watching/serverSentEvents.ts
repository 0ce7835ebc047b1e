import type { ServerResponse } from 'node:http';
import type { Execution } from '@holdfast/domain/execution';
import { executionStatuses } from '@holdfast/domain/statuses';

const heartbeatMs = 15_000;
/** A client that reads nothing for this long is disconnected. */
const drainTimeoutMs = 60_000;
/** When a client that lost the stream reconnects. */
const retryMs = 2000;

export type EventWriter = {
  /** Resolves when there is room for another event or the client has disconnected. */
  write(event: { id: string | number | null; type: string; json: string }): Promise<void>;
  end(): void;
};

export const eventStreamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // Stops proxies from buffering events.
  'X-Accel-Buffering': 'no',
};

/** Writes server-sent events, with comments as heartbeats. */
export function openEventWriter(response: ServerResponse): EventWriter {
  response.writeHead(200, eventStreamHeaders);
  response.write(`retry: ${retryMs}\n\n`);
  const heartbeat = setInterval(() => {
    if (!response.writableNeedDrain) response.write(': heartbeat\n\n');
  }, heartbeatMs);
  response.once('close', () => clearInterval(heartbeat));
  return {
    async write({ id, type, json }) {
      const hasRoom = response.write(`${id === null ? '' : `id: ${id}\n`}event: ${type}\ndata: ${json}\n\n`);
      if (!hasRoom) await drained(response);
    },
    end() {
      clearInterval(heartbeat);
      response.end();
    },
  };
}

/** Waits for a slow client; one that reads nothing is disconnected. */
export async function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timeout = setTimeout(() => response.destroy(), drainTimeoutMs);
  response.once('drain', resolve).once('close', resolve);
  await promise;
  response.off('drain', resolve).off('close', resolve);
  clearTimeout(timeout);
}

/** How much of an execution a client has seen: enough for any gateway to resume the stream. */
export type Position = Pick<Execution, 'progress' | 'queuePosition'> & {
  /** Null: nothing yet. */
  status: Execution['status'] | null;
  /** Characters of log. */
  logs: number;
};

export const startPosition: Position = { status: null, progress: null, queuePosition: null, logs: 0 };

/** The id of an event: `1:0.35::120`. */
export function eventId({ status, progress, queuePosition, logs }: Position): string {
  const rank = status === null ? '' : executionStatuses.indexOf(status);
  return [rank, progress ?? '', queuePosition ?? '', logs].join(':');
}

const idPattern = /^([0-6]?):(\d(?:\.\d{1,20})?(?:e-\d{1,3})?)?:(\d{1,9})?:(\d{1,15})$/;

/** The position in an event id. With an invalid id, the stream starts from the beginning. */
export function positionOf(id: string | undefined): Position {
  const [, rank, progress, queuePosition, logs] = idPattern.exec(id ?? '') ?? [];
  if (logs === undefined) return startPosition;
  return {
    status: rank ? (executionStatuses[Number(rank)] ?? null) : null,
    progress: progress === undefined ? null : Number(progress),
    queuePosition: queuePosition === undefined ? null : Number(queuePosition),
    logs: Number(logs),
  };
}
