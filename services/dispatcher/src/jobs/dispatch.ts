import { filterPendingExecutions } from '@holdfast/db/sweeps';
import type { dispatchQueue, PayloadOf, QueuedExecution, RetryJob } from '@holdfast/queues/definitions';
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
  scheduler.add((isComplete ? executions : await filterPendingExecutions(db, executionIds)).map(firstTry));
}

/** So does a further try. */
export async function retry({ scheduler }: Context, { retry: of, refusedAt }: RetryJob): Promise<void> {
  const [attemptId, executionId, organizationId, model, rank, connection, target] = of;
  const again = { attemptId, connection, target, refusedAt };
  scheduler.add([{ executionId, organizationId, model, rank, again }]);
}

export function firstTry([executionId, organizationId, model, rank]: QueuedExecution): Waiting {
  return { executionId, organizationId, model, rank, again: null };
}
