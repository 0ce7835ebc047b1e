import type { Queued } from '@holdfast/queues/dispatch';
import type { Retry } from '@holdfast/queues/retry';
import type { Waiting } from '../backlog.ts';
import type { Context } from '../context.ts';

/** New executions wait for their turn; when it comes is the scheduler's business, not the job's. */
export async function dispatch({ scheduler }: Context, executions: Queued[]): Promise<void> {
  scheduler.add(executions.map(firstTry));
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
