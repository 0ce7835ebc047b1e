import type { ServerResponse } from 'node:http';
import type { WatchedExecution } from '@holdfast/db/executions/watch';
import { ApiError } from '@holdfast/domain/errors';
import { type Execution, progressRecord } from '@holdfast/domain/execution';
import { isTerminal } from '@holdfast/domain/statuses';
import type { Logger } from '@holdfast/kit/logger';
import type { BodyHold } from '../http/bodyLimits.ts';
import { openLogLines } from './logLines.ts';
import { type EventWriter, eventId, openEventWriter, type Position } from './serverSentEvents.ts';
import type { Watcher } from './watcher.ts';

/** Together with the key cache, a revoked key stops reading within 5 s. */
export const keyCheckIntervalMs = 1500;

/**
 * Streams the events of an execution from a position on, until it ends, the client disconnects, its key is no longer valid
 * or the gateway stops. While the client does not read, polls are skipped; the next one has what they missed.
 */
export async function streamExecution(args: {
  watcher: Pick<Watcher, 'watch'>;
  log: Logger;
  execution: Pick<Execution, 'id'>;
  read: () => Promise<Execution>;
  recordOf: (execution: Execution) => object;
  /** @throws ApiError when the key is no longer valid */
  checkKey: () => Promise<void>;
  from: Position;
  /** Counts large events. */
  hold: BodyHold;
  response: ServerResponse;
}): Promise<void> {
  const { watcher, log, execution, response } = args;
  if (response.destroyed) return;
  const writer = openEventWriter(response, args.hold);
  const stream = openEventStream({ from: args.from, writer, read: args.read, recordOf: args.recordOf });
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  response.once('close', finish);
  let isWriting = false;

  async function onRead(current: WatchedExecution): Promise<void> {
    if (isWriting) return;
    isWriting = true;
    try {
      if (await stream.write(current)) finish();
    } catch (error) {
      // Such as a large event that has no room: the client reads on by another connection.
      if (error instanceof ApiError) return finish();
      log.warn({ err: error, executionId: execution.id }, 'could not write an event; retrying');
    }
    isWriting = false;
  }

  async function checkKey(): Promise<void> {
    try {
      await args.checkKey();
    } catch (error) {
      if (error instanceof ApiError) finish();
    }
  }

  const keyChecks = setInterval(() => void checkKey(), keyCheckIntervalMs);
  const unwatch = watcher.watch(execution.id, {
    logsSeen: () => (isWriting ? null : stream.logsSeen()),
    onRead: (current) => void onRead(current),
    onClosed: finish,
  });
  await finished;
  clearInterval(keyChecks);
  unwatch();
  writer.end();
}

type EventStream = {
  logsSeen(): number | null;
  /** Writes what changed; returns true once the final status is written. */
  write(current: WatchedExecution): Promise<boolean>;
};

/** The events of one execution from a position on. The whole log comes before the final status. */
function openEventStream(args: {
  from: Position;
  writer: EventWriter;
  read: () => Promise<Execution>;
  recordOf: (execution: Execution) => object;
}): EventStream {
  const { writer, read, recordOf } = args;
  const lines = openLogLines(args.from.logs);
  let position = args.from;

  async function writeEvent(type: string, change: Partial<Position>, data: unknown): Promise<void> {
    position = { ...position, ...change };
    await writer.write({ id: eventId(position), type, json: JSON.stringify(data) });
  }

  /** False when the execution ended after `current` was read: the next poll has its final status. */
  async function writeStatus({ status }: WatchedExecution): Promise<boolean> {
    if (status === position.status) return true;
    const execution = await read();
    if (isTerminal(execution.status) !== isTerminal(status)) return false;
    await writeEvent('status', { status: execution.status }, recordOf(execution));
    return true;
  }

  async function writeProgress(current: WatchedExecution): Promise<void> {
    const { progress, queuePosition } = current;
    if (progress === position.progress && queuePosition === position.queuePosition) return;
    await writeEvent('progress', { progress, queuePosition }, progressRecord(current));
  }

  async function writeLines(isComplete: boolean): Promise<void> {
    const ready = lines.flush(isComplete);
    if (ready.length > 0) await writeEvent('log', { logs: lines.flushed() }, { lines: ready });
  }

  async function write(current: WatchedExecution): Promise<boolean> {
    lines.add(current);
    if (isTerminal(current.status)) {
      const isComplete = lines.received() >= current.logsTotal;
      await writeLines(isComplete);
      return isComplete && (await writeStatus(current));
    }
    if (await writeStatus(current)) {
      await writeProgress(current);
      await writeLines(false);
    }
    return false;
  }

  return { logsSeen: lines.received, write };
}
