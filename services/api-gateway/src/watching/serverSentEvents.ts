import type { ServerResponse } from 'node:http';
import type { Execution } from '@holdfast/domain/execution';
import { executionStatuses } from '@holdfast/domain/statuses';

const heartbeatMs = 15_000;
/** A client that reads nothing for so long is hung up on. */
const patienceMs = 60_000;
/** After how long a client that lost the stream comes again. */
const retryMs = 2000;

export type EventWriter = {
  /** Resolves once there is room for another, or the client is gone. */
  write(event: { id: string; type: string; data: unknown }): Promise<void>;
  end(): void;
};

/** Writes server-sent events, with a comment as a sign of life in between. */
export function openEventWriter(response: ServerResponse): EventWriter {
  response.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    // Asks proxies in front not to hold events back.
    'X-Accel-Buffering': 'no',
  });
  response.write(`retry: ${retryMs}\n\n`);
  const heartbeat = setInterval(() => {
    if (!response.writableNeedDrain) response.write(': still here\n\n');
  }, heartbeatMs);
  response.once('close', () => clearInterval(heartbeat));
  return {
    async write({ id, type, data }) {
      const hasRoom = response.write(`id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
      if (!hasRoom) await drained(response);
    },
    end() {
      clearInterval(heartbeat);
      response.end();
    },
  };
}

async function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const patience = setTimeout(() => response.destroy(), patienceMs);
  response.once('drain', resolve).once('close', resolve);
  await promise;
  response.off('drain', resolve).off('close', resolve);
  clearTimeout(patience);
}

/** How far somebody has been told of an execution: all that any gateway needs to go on from there. */
export type Position = Pick<Execution, 'progress' | 'queuePosition'> & {
  /** Null: of nothing yet. */
  status: Execution['status'] | null;
  /** Characters of log. */
  logs: number;
};

export const beginning: Position = { status: null, progress: null, queuePosition: null, logs: 0 };

/** The id of an event: `1:0.35::120`. */
export function eventId({ status, progress, queuePosition, logs }: Position): string {
  const rank = status === null ? '' : executionStatuses.indexOf(status);
  return [rank, progress ?? '', queuePosition ?? '', logs].join(':');
}

const shape = /^([0-6]?):(\d(?:\.\d{1,20})?(?:e-\d{1,3})?)?:(\d{1,9})?:(\d{1,15})$/;

/** What an id says. One that is not ours says nothing: all is told again. */
export function positionOf(id: string | undefined): Position {
  const [, rank, progress, queuePosition, logs] = shape.exec(id ?? '') ?? [];
  if (logs === undefined) return beginning;
  return {
    status: rank ? (executionStatuses[Number(rank)] ?? null) : null,
    progress: progress === undefined ? null : Number(progress),
    queuePosition: queuePosition === undefined ? null : Number(queuePosition),
    logs: Number(logs),
  };
}
