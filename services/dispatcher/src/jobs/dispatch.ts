import { pendingAmong } from '@holdfast/db/sweeps/due';
import type { dispatchQueue, Queued } from '@holdfast/queues/dispatch';
import type { PayloadOf } from '@holdfast/queues/queue';
import type { Retry } from '@holdfast/queues/retry';
import type { Waiting } from '../backlog.ts';
import type { Context } from '../context.ts';

/**
 * New executions wait for their turn; when it comes is the scheduler's business, not the job's. A gateway of the version
 * before names them alone.
 */
export async function dispatch(
  { db, scheduler }: Pick<Context, 'db' | 'scheduler'>,
  { executions, executionIds }: PayloadOf<typeof dispatchQueue>,
): Promise<void> {
  const isComplete = executions.length >= executionIds.length;
  scheduler.add((isComplete ? executions : await pendingAmong(db, executionIds)).map(firstTry));
}

/** So does a further try. */
export async function retry({ scheduler }: Context, [attemptId, ...rest]: Retry): Promise<void> {
  const [executionId, organizationId, model, rank, connection, target] = rest;
  const again = { attemptId, connection, target };
  scheduler.add([{ executionId, organizationId, model, rank, again }]);
}

export function firstTry([executionId, organizationId, model, rank]: Queued): Waiting {
  return { executionId, organizationId, model, rank, again: null };
}
