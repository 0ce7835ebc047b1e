import type { ServerResponse } from 'node:http';
import type { Execution } from '@holdfast/domain/execution';
import { isTerminal } from '@holdfast/domain/statuses';
import type { Watcher } from './watcher.ts';

/** More are not held up: they are answered at once, as without `wait`. */
const mostWaiting = 5000;

/**
 * Until the status of an execution is another than `execution` has, it can't change any more, `waitMs` have passed, the
 * gateway stops or the client went away. False when there was nothing to wait for.
 */
export async function untilChanged(
  watcher: Watcher,
  execution: Pick<Execution, 'id' | 'status'>,
  waitMs: number,
  response: ServerResponse,
): Promise<boolean> {
  if (waitMs === 0 || isTerminal(execution.status) || response.destroyed) return false;
  if (watcher.size() >= mostWaiting) return false;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, waitMs);
  response.once('close', resolve);
  const unwatch = watcher.watch(execution.id, {
    logsSeen: () => null,
    sees: ({ status }) => status !== execution.status && resolve(),
    ends: resolve,
  });
  await promise;
  unwatch();
  clearTimeout(timer);
  response.off('close', resolve);
  return true;
}
