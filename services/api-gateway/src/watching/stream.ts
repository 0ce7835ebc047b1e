import type { ServerResponse } from 'node:http';
import type { WatchedExecution } from '@holdfast/db/executions/watch';
import { ApiError } from '@holdfast/domain/errors';
import type { Execution } from '@holdfast/domain/execution';
import type { Logger } from '@holdfast/kit/logger';
import { openEventStream } from './eventStream.ts';
import { openEventWriter } from './eventWriter.ts';
import type { Position } from './position.ts';
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
