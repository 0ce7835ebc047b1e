import type { Database } from '@holdfast/db/client';
import { isLockTimeout, isTransient, retryTransient, staleServerError } from '@holdfast/db/faults';
import { lockedStreams } from '@holdfast/db/locks';
import {
  readStreamStates,
  type StreamState,
  type StreamWrite,
  shownText,
  streamAllowance,
  takeStream,
  writeStreamEvents,
} from '@holdfast/db/streams';
import type { Failure } from '@holdfast/domain/outcome';
import { createIsolatedBatcher } from '@holdfast/kit/isolatedBatcher';
import type { Logger } from '@holdfast/kit/logger';
import type { OutputSink, Progress } from '@holdfast/providers/interface';
import { failure } from '@holdfast/providers/outcome/failure';
import type { PublishChanges } from '@holdfast/queues/changes';
import { pricedInput } from './input.ts';
import type { Files } from './outputFile.ts';
import { openPartialImages, openStoredFile } from './partialImages.ts';
import type { Route } from './route.ts';
import { createShownOutput, type ShownOutput } from './shownOutput.ts';
import type { Attempt } from './submission.ts';
import type { Trace } from './trace.ts';

/** The outputs of runs that are shown while they are made: ADR 61. */
export type Streams = {
  /** Takes the stream of an attempt. Null: its execution has ended, or another dispatcher has the attempt. */
  open(trace: Trace, route: Route, attempt: Attempt): Promise<Stream | null>;
  /** What becomes of the attempt of a dispatcher that died; its run cannot be joined. Null as for `open`. */
  takeOver(trace: Trace, route: Route, attempt: Attempt): Promise<Progress | null>;
  /** Shows what is missing of an output that was not streamed to its end here. Null as for `open`. */
  complete(trace: Trace, route: Route, attempt: Attempt, progress: Progress): Promise<Progress | null>;
  openCount(): number;
  idle(): Promise<void>;
};

export type Stream = {
  sink: OutputSink;
  /** Aborts when the run is to stop: its budget or its time is used up, or its execution has ended. */
  stop: AbortSignal;
  /** When all is shown: the progress to record. Null: the attempt was given up, has ended, or has another dispatcher. */
  finish(progress: Progress | null): Promise<Progress | null>;
};

const retryForMs = 60_000;

export function openStreams(args: {
  db: Database;
  files: Files;
  publishChanges: PublishChanges;
  /** How long a stream is kept after the end of its execution. */
  retentionS: number;
  log: Logger;
}): Streams {
  const { db, files, retentionS, log } = args;
  const writes = openWrites(args);
  let open = 0;

  async function take(trace: Trace, route: Route, attempt: Attempt): Promise<ShownOutput | null> {
    const takenAtMs = performance.now();
    const { stream: kind = 'text' } = route.definition;
    const writer = writerOf(attempt);
    const taken = await retryTransient(log, retryForMs, () => takeStream(db, writer, kind));
    if (taken === null) return null;
    return createShownOutput({
      writer,
      taken,
      kind,
      route,
      attempt,
      takenAtMs,
      priced: await pricedInput(files, trace.log, route, attempt),
      pauseMs: () => pauseMs(open),
      write: writes.add,
      allowance: () => retryTransient(log, retryForMs, () => streamAllowance(db, attempt.executionId)),
      keepImage: openPartialImages(files, log, route, attempt, retentionS),
      openFile: (id) => openStoredFile(files, attempt, id),
      shownBefore: () => retryTransient(log, retryForMs, () => shownText(db, attempt.executionId)),
    });
  }

  return {
    async open(trace, route, attempt) {
      const shown = await take(trace, route, attempt);
      if (shown === null) return null;
      open += 1;
      return {
        sink: shown.sink,
        stop: shown.stop,
        async finish(progress) {
          open -= 1;
          return await shown.finish(progress);
        },
      };
    },
    async takeOver(trace, route, attempt) {
      const shown = await take(trace, route, attempt);
      return shown && shown.brokenOff(lost);
    },
    async complete(trace, route, attempt, progress) {
      const shown = await take(trace, route, attempt);
      return shown && (await shown.finish(progress));
    },
    openCount: () => open,
    idle: writes.idle,
  };
}

const lost: Failure = failure('GENERATION_FAILED', 'The output broke off.');

function writerOf({ executionId, number: attempt, claims }: Attempt) {
  return { executionId, attempt, claims };
}

/** Between two events of a stream, so that the events of many streams share their statements. */
function pauseMs(open: number): number {
  return Math.min(40, 10 + open / 5);
}

/** Returns whether the events were written; if not, the stream is closed or has another writer. */
function openWrites({
  db,
  publishChanges,
  log,
}: {
  db: Database;
  publishChanges: PublishChanges;
  log: Logger;
}) {
  return createIsolatedBatcher<StreamWrite, boolean>({
    maxSize: 256,
    isLockTimeout,
    maxBlockedMs: retryForMs,
    async ownersOf(items) {
      const ids = items.map(({ executionId }) => executionId);
      const locked = await lockedStreams(db, ids);
      return ids.map((id) => ({ owner: id, isBlocked: locked.has(id) }));
    },
    async run(items) {
      const written = await retryTransient(log, retryForMs, () => writeAll(db, items), isRetryable);
      publishChanges([...written], null);
      return items.map(({ executionId }) => written.has(executionId));
    },
  });
}

const isRetryable = (error: unknown) => isTransient(error) && !isLockTimeout(error);

/** Also after a response that was lost, and on a server that does not know the latest writes yet. */
async function writeAll(db: Database, items: readonly StreamWrite[]): Promise<Set<string>> {
  const written = new Set(await writeStreamEvents(db, items));
  const missed = items.filter(({ executionId }) => !written.has(executionId));
  if (missed.length === 0) return written;
  const states = await readStreamStates(
    db,
    missed.map(({ executionId }) => executionId),
  );
  const byId = new Map(states.map((state) => [state.id, state]));
  for (const write of missed) {
    const state = byId.get(write.executionId);
    if (state === undefined || isBehind(write, state))
      throw staleServerError('the database does not know the latest events of a stream');
    if (isWrittenAs(write, state)) written.add(write.executionId);
  }
  return written;
}

const isSameWriter = (write: StreamWrite, { attempt, claims }: StreamState) =>
  attempt === write.attempt && claims === write.claims;

function isBehind(write: StreamWrite, state: StreamState): boolean {
  return isSameWriter(write, state) && !state.isClosed && state.events <= write.eventsBefore;
}

function isWrittenAs(write: StreamWrite, state: StreamState): boolean {
  return isSameWriter(write, state) && state.events === write.eventsBefore + write.events.length;
}
