import type { ServerResponse } from 'node:http';
import type { Database } from '@holdfast/db/client';
import { type ReadEvent, readStreams, type StreamPage } from '@holdfast/db/streams';
import { ApiError } from '@holdfast/domain/errors';
import type { Execution, StatusRecord } from '@holdfast/domain/execution';
import { type Batcher, createBatcher } from '@holdfast/kit/batcher';
import type { Logger } from '@holdfast/kit/logger';
import type { BodyHold } from '../http/bodyLimits.ts';
import { keyCheckIntervalMs } from './eventStream.ts';
import { type EventWriter, openEventWriter } from './serverSentEvents.ts';
import type { Watcher } from './watcher.ts';

export type OutputReader = Batcher<{ id: string; after: number }, StreamPage | null>;

/** Concurrent reads share a statement. */
export function openOutputReader(db: Database): OutputReader {
  return createBatcher({ maxSize: 64, run: (readers) => readStreams(db, readers) });
}

type Followed = {
  watcher: Pick<Watcher, 'watch'>;
  outputReader: Pick<OutputReader, 'add'>;
  log: Logger;
  id: string;
  /** The id of the last event that the client has. */
  after: number;
  /** Ends it early; it aborts this one when the gateway stops. */
  over: AbortController;
};

/** Yields the events of a stream as they come, 64 KB ahead at most. Returns its last page once the execution has ended. */
export async function* followOutput(args: Followed): AsyncGenerator<ReadEvent, StreamPage | null> {
  const { outputReader, log, id, over } = args;
  const turns = createTurns();
  let position = args.after;
  const onClosed = () => over.abort();
  over.signal.addEventListener('abort', turns.wake, { once: true });
  const watch = { logsSeen: () => null, onRead: turns.wake, onChange: turns.wake, onClosed };
  const unwatch = args.watcher.watch(id, watch);
  try {
    while (!over.signal.aborted) {
      const page = await outputReader.add({ id, after: position }).catch((error: unknown) => {
        log.warn({ err: error, executionId: id }, 'could not read an output; retrying');
        return undefined;
      });
      if (page === null) return null;
      for (const event of page?.events ?? []) {
        yield event;
        position = event.number;
      }
      if (page?.events.length) continue;
      if (page?.hasEnded) return page;
      await turns.next();
    }
    return null;
  } finally {
    unwatch();
  }
}

type Stream = Omit<Followed, 'over'> & {
  read: () => Promise<Execution>;
  recordOf: (execution: Execution) => Omit<StatusRecord, 'error'> & { error: object | null };
  /** @throws ApiError when the key is no longer valid */
  checkKey: () => Promise<void>;
  /** Counts large events. */
  hold: BodyHold;
  response: ServerResponse;
};

/**
 * Streams the output of an execution from an event on, until it has ended, the client disconnects, its key is no longer
 * valid or the gateway stops. Returns whether the client left before the end. It reads at the client's pace.
 */
export async function streamOutputTo(args: Stream): Promise<{ hasLeft: boolean }> {
  const { response, id } = args;
  if (response.destroyed) return { hasLeft: true };
  const writer = openEventWriter(response, args.hold);
  const over = new AbortController();
  let hasLeft = false;
  response.once('close', () => {
    hasLeft ||= !over.signal.aborted;
    over.abort();
  });
  const keyChecks = setInterval(() => {
    args.checkKey().catch((error: unknown) => {
      if (error instanceof ApiError) over.abort();
    });
  }, keyCheckIntervalMs);
  try {
    const events = followOutput({ ...args, over });
    let position = args.after;
    let next = await events.next();
    for (; !next.done; next = await events.next()) {
      const { number, type, data } = next.value;
      await writer.write({ id: number, type, json: data });
      position = number;
    }
    if (next.value !== null) await writeEnd(args, writer, next.value, position);
    over.abort();
  } catch (error) {
    args.log.warn({ err: error, executionId: id }, 'could not end the stream of an output');
    over.abort();
  } finally {
    clearInterval(keyChecks);
    writer.end();
  }
  return { hasLeft };
}

/** The id of the event `done`, of an ended execution. */
export function doneId({ total, endsWithWhole }: Pick<StreamPage, 'total' | 'endsWithWhole'>): number {
  return (total ?? 0) + (endsWithWhole ? 2 : 1);
}

/** A wake-up during a turn is not missed: the next turn begins at once. */
function createTurns() {
  let isDue = false;
  let begin: (() => void) | null = null;
  return {
    wake(): void {
      isDue = true;
      begin?.();
    },
    async next(): Promise<void> {
      if (!isDue) await new Promise<void>((resolve) => (begin = resolve));
      isDue = false;
      begin = null;
    },
  };
}

async function writeEnd(
  { read, recordOf }: Stream,
  writer: EventWriter,
  page: StreamPage,
  position: number,
): Promise<void> {
  const execution = await read();
  if (page.isCleared || page.endsWithWhole) await writeWhole(writer, execution, page, position);
  const { status, usage = null, cost, finish_reason = null, error } = recordOf(execution);
  const done = { status, usage, cost, finish_reason, error };
  await writer.write({ id: doneId(page), type: 'done', json: JSON.stringify(done) });
}

/** In place of events that were removed, of an output that was not streamed, or after what only led to it. */
async function writeWhole(
  writer: EventWriter,
  execution: Execution,
  page: StreamPage,
  position: number,
): Promise<void> {
  const last = doneId(page) - 1;
  if (position >= last) return;
  const delta = wholeOf(execution);
  if (position > 0 && page.isCleared)
    await writer.write({ id: null, type: 'reset', json: '{"attempt":null}' });
  if (delta !== null) await writer.write({ id: last, type: 'output', json: JSON.stringify({ delta }) });
}

/** Null: nothing was made, or nothing is left of it. */
export function wholeOf({ status, output, partialOutput, erasedAt }: Execution): unknown {
  if (erasedAt !== null) return null;
  if (status !== 'COMPLETED') return partialOutput ?? null;
  const isText = typeof output?.text === 'string' && Object.keys(output).length === 1;
  return isText ? output.text : output;
}
