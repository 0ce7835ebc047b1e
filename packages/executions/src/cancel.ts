import type { Database } from '@holdfast/db/client';
import { cancelExecution } from '@holdfast/db/executions/endings';
import { getExecution } from '@holdfast/db/executions/read';
import { ApiError } from '@holdfast/domain/errors';
import type { Execution } from '@holdfast/domain/execution';
import { type EndingHints, hintStop } from './hints.ts';

/**
 * PENDING, PROCESSING, AWAITING_WEBHOOK -> CANCELLED: hold released at once, `execution.cancelled`; the provider is
 * told to stop, and what it still sends is dropped. Already cancelled: the same answer again.
 * @throws ApiError NOT_FOUND, EXECUTION_ALREADY_TERMINAL
 */
export async function cancel(
  args: { db: Database; hints: EndingHints },
  organizationId: string,
  executionId: string,
): Promise<Execution> {
  const ended = await cancelExecution(args.db, organizationId, executionId);
  if (ended) void hintStop(args.hints, [ended]);
  const execution = await getExecution(args.db, organizationId, executionId);
  if (!execution) throw new ApiError('NOT_FOUND', 'No such execution.');
  if (execution.status !== 'CANCELLED') {
    throw new ApiError(
      'EXECUTION_ALREADY_TERMINAL',
      `The execution is already ${execution.status} and cannot be cancelled.`,
    );
  }
  return execution;
}
