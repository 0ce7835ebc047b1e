import type { ServerResponse } from 'node:http';
import type { Execution } from '@holdfast/domain/execution';
import { executionStatuses } from '@holdfast/domain/statuses';
import type { BodyHold } from '../http/bodyLimits.ts';

const heartbeatMs = 15_000;
/** A client that reads nothing for this long is disconnected. */
const drainTimeoutMs = 60_000;
/** When a client that lost the stream reconnects. */
const retryMs = 2000;
/** What a socket holds for its client at most. */
const maxWaitingBytes = 65_536;

export type EventWriter = {
  /**
   * Resolves when there is room for another event or the client has disconnected.
   * @throws RATE_LIMITED, SERVICE_UNAVAILABLE: a large event has no room, and nothing of it was written
   */
  write(event: { id: string | number | null; type: string; json: string }): Promise<void>;
  end(): void;
};

export const eventStreamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // Stops proxies from buffering events.
  'X-Accel-Buffering': 'no',
};

/** Writes server-sent events, with comments as heartbeats. `hold`: the memory that counts large events. */
export function openEventWriter(response: ServerResponse, hold: BodyHold): EventWriter {
  response.writeHead(200, eventStreamHeaders);
  response.write(`retry: ${retryMs}\n\n`);
  const heartbeat = setInterval(() => {
    // Nor does one come in the middle of a large event.
    if (!response.writableNeedDrain) response.write(': heartbeat\n\n');
  }, heartbeatMs);
  response.once('close', () => clearInterval(heartbeat));
  return {
    async write({ id, type, json }) {
      const text = `${id === null ? '' : `id: ${id}\n`}event: ${type}\ndata: ${json}\n\n`;
      await writeAtPace(response, text, hold);
    },
    end() {
      clearInterval(heartbeat);
      response.end();
    },
  };
}

/**
 * Writes as much at a time as a socket may hold, and waits for a slow client after each. A larger text counts in `hold` until
 * then. @throws RATE_LIMITED, SERVICE_UNAVAILABLE when it has no room there
 */
export async function writeAtPace(response: ServerResponse, text: string, hold: BodyHold): Promise<void> {
  if (Buffer.byteLength(text) <= maxWaitingBytes) {
    if (!response.write(text)) await drained(response);
    return;
  }
  const bytes = Buffer.from(text);
  hold.take(bytes.length);
  try {
    for (let at = 0; at < bytes.length && !response.destroyed; at += maxWaitingBytes)
      if (!response.write(bytes.subarray(at, at + maxWaitingBytes))) await drained(response);
  } finally {
    hold.release();
  }
}

/** Waits for a slow client; one that reads nothing is disconnected. */
async function drained(response: ServerResponse): Promise<void> {
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
