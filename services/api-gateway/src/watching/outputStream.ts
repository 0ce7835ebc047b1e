import type { ServerResponse } from 'node:http';
import type { Database } from '@holdfast/db/client';
import { readStreams, type StreamPage } from '@holdfast/db/streams';
import { ApiError } from '@holdfast/domain/errors';
import type { Execution, StatusRecord } from '@holdfast/domain/execution';
import { type Batcher, createBatcher } from '@holdfast/kit/batcher';
import type { Logger } from '@holdfast/kit/logger';
import { keyCheckIntervalMs } from './eventStream.ts';
import { type EventWriter, openEventWriter } from './serverSentEvents.ts';
import type { Watcher } from './watcher.ts';

export type OutputReader = Batcher<{ id: string; after: number }, StreamPage | null>;

/** Concurrent reads share a statement. */
export function openOutputReader(db: Database): OutputReader {
  return createBatcher({ maxSize: 64, run: (readers) => readStreams(db, readers) });
}

type Stream = {
  watcher: Pick<Watcher, 'watch'>;
  outputReader: Pick<OutputReader, 'add'>;
  log: Logger;
  id: string;
  /** The id of the last event that the client has. */
  after: number;
  read: () => Promise<Execution>;
  recordOf: (execution: Execution) => Omit<StatusRecord, 'error'> & { error: object | null };
  /** @throws ApiError when the key is no longer valid */
  checkKey: () => Promise<void>;
  response: ServerResponse;
};

/**
 * Streams the output of an execution from an event on, until it has ended, the client disconnects, its key is no longer
 * valid or the gateway stops. Returns whether the client left before the end. It reads at the client's pace, 64 KB at a time.
 */
export async function streamOutputTo(args: Stream): Promise<{ hasLeft: boolean }> {
  const { response, log, id } = args;
  if (response.destroyed) return { hasLeft: true };
  const writer = openEventWriter(response);
  const turns = createTurns();
  let hasLeft = false;
  const over = new AbortController();
  const end = () => {
    over.abort();
    turns.wake();
  };
  response.once('close', () => {
    hasLeft ||= !over.signal.aborted;
    end();
  });
  const keyChecks = setInterval(() => {
    args.checkKey().catch((error: unknown) => {
      if (error instanceof ApiError) end();
    });
  }, keyCheckIntervalMs);
  const wakeUps = { onRead: turns.wake, onChange: turns.wake, onClosed: end };
  const unwatch = args.watcher.watch(id, { logsSeen: () => null, ...wakeUps });
  const reading = createReading(args, writer);
  try {
    while (!over.signal.aborted) {
      const step = await reading.step().catch((error: unknown) => {
        log.warn({ err: error, executionId: id }, 'could not read an output; retrying');
        return 'wait' as const;
      });
      if (step === 'done') break;
      if (step === 'wait') await turns.next();
    }
    over.abort();
  } finally {
    clearInterval(keyChecks);
    unwatch();
    writer.end();
  }
  return { hasLeft };
}

/** The id of the event `done`, of an ended execution. */
export function doneId({ total }: Pick<StreamPage, 'total'>): number {
  return (total ?? 1) + 1;
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

function createReading({ outputReader, id, after, read, recordOf }: Stream, writer: EventWriter) {
  let position = after;

  /** In place of events that were removed, or of an output that was not streamed. */
  async function writeWhole(execution: Execution, page: StreamPage): Promise<void> {
    const last = doneId(page) - 1;
    const delta = wholeOf(execution);
    if (position >= last || delta === null) return;
    if (position > 0) await writer.write({ id: null, type: 'reset', json: '{"attempt":null}' });
    await writer.write({ id: last, type: 'output', json: JSON.stringify({ delta }) });
  }

  async function writeEnd(page: StreamPage): Promise<void> {
    const execution = await read();
    if (page.isCleared || page.total === null) await writeWhole(execution, page);
    const { status, usage = null, cost, finish_reason = null, error } = recordOf(execution);
    const done = { status, usage, cost, finish_reason, error };
    await writer.write({ id: doneId(page), type: 'done', json: JSON.stringify(done) });
  }

  return {
    async step(): Promise<'more' | 'wait' | 'done'> {
      const page = await outputReader.add({ id, after: position });
      if (page === null) return 'done';
      for (const { number, type, data } of page.events) {
        await writer.write({ id: number, type, json: data });
        position = number;
      }
      if (page.events.length > 0) return 'more';
      if (!page.hasEnded) return 'wait';
      await writeEnd(page);
      return 'done';
    },
  };
}

/** Null: nothing was made, or nothing is left of it. */
function wholeOf({ status, output, partialOutput, erasedAt }: Execution): unknown {
  if (erasedAt !== null) return null;
  if (status !== 'COMPLETED') return partialOutput ?? null;
  const isText = typeof output?.text === 'string' && Object.keys(output).length === 1;
  return isText ? output.text : output;
}
