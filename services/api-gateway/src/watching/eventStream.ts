import type { ServerResponse } from 'node:http';
import type { WatchedExecution } from '@holdfast/db/executions/watch';
import { ApiError } from '@holdfast/domain/errors';
import type { Execution } from '@holdfast/domain/execution';
import { progressRecord, statusRecord } from '@holdfast/domain/executionRecord';
import { isTerminal } from '@holdfast/domain/statuses';
import type { Logger } from '@holdfast/kit/logger';
import { openLogLines } from './logLines.ts';
import { type EventWriter, eventId, openEventWriter, type Position } from './serverSentEvents.ts';
import type { Watcher } from './watcher.ts';

/** With what a look-up of a key is believed for, a revoked one reads no longer than 5 s. */
const checkEveryMs = 1500;

/**
 * Answers with the events of an execution from a position on, until it has ended, the client has gone, its key is not
 * valid any more or the gateway stops. While an event can't be written no more is asked for: what is missed, the next
 * sighting has.
 */
export async function streamExecution(args: {
  watcher: Watcher;
  log: Logger;
  execution: Pick<Execution, 'id'>;
  read: () => Promise<Execution>;
  /** @throws ApiError when the key has ended */
  mayRead: () => Promise<void>;
  from: Position;
  response: ServerResponse;
}): Promise<void> {
  const { watcher, log, execution, response } = args;
  if (response.destroyed) return;
  const writer = openEventWriter(response);
  const stream = openEventStream({ from: args.from, writer, read: args.read });
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  response.once('close', end);
  let isBusy = false;

  async function tell(sighting: WatchedExecution): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    try {
      if (await stream.tell(sighting)) end();
    } catch (error) {
      log.warn({ err: error, executionId: execution.id }, 'an event could not be told; it is tried again');
    }
    isBusy = false;
  }

  async function check(): Promise<void> {
    try {
      await args.mayRead();
    } catch (error) {
      if (error instanceof ApiError) end();
    }
  }

  const checking = setInterval(() => void check(), checkEveryMs);
  const unwatch = watcher.watch(execution.id, {
    logsSeen: () => (isBusy ? null : stream.logsSeen()),
    sees: (sighting) => void tell(sighting),
    ends: end,
  });
  await over;
  clearInterval(checking);
  unwatch();
  writer.end();
}

export type EventStream = {
  logsSeen(): number | null;
  /** Writes what is new; resolves true once all is said. */
  tell(sighting: WatchedExecution): Promise<boolean>;
};

/** Tells of one execution from a position on. Its log comes before the status that it ended with. */
export function openEventStream(args: {
  from: Position;
  writer: EventWriter;
  read: () => Promise<Execution>;
}): EventStream {
  const { writer, read } = args;
  const lines = openLogLines(args.from.logs);
  let position = args.from;

  async function write(type: string, told: Partial<Position>, data: unknown): Promise<void> {
    position = { ...position, ...told };
    await writer.write({ id: eventId(position), type, data });
  }

  /** False when it has gone on since it was seen: from open to ended, which is the next sighting's to tell. */
  async function tellStatus({ status }: WatchedExecution): Promise<boolean> {
    if (status === position.status) return true;
    const execution = await read();
    if (isTerminal(execution.status) !== isTerminal(status)) return false;
    await write('status', { status: execution.status }, statusRecord(execution));
    return true;
  }

  async function tellProgress(sighting: WatchedExecution): Promise<void> {
    const { progress, queuePosition } = sighting;
    if (progress === position.progress && queuePosition === position.queuePosition) return;
    await write('progress', { progress, queuePosition }, progressRecord(sighting));
  }

  async function tellLines(isOver: boolean): Promise<void> {
    const given = lines.give(isOver);
    if (given.length > 0) await write('log', { logs: lines.given() }, { lines: given });
  }

  async function tell(sighting: WatchedExecution): Promise<boolean> {
    lines.take(sighting);
    if (isTerminal(sighting.status)) {
      const isOver = lines.taken() >= sighting.logsTotal;
      await tellLines(isOver);
      return isOver && (await tellStatus(sighting));
    }
    if (await tellStatus(sighting)) {
      await tellProgress(sighting);
      await tellLines(false);
    }
    return false;
  }

  return { logsSeen: lines.taken, tell };
}
