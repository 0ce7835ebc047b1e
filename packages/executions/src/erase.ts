import type { Database } from '@holdfast/db/client';
import { eraseExecution } from '@holdfast/db/executions/erase';
import { getExecution } from '@holdfast/db/executions/read';
import { ApiError } from '@holdfast/domain/errors';
import { isTerminal } from '@holdfast/domain/statuses';

/**
 * Erases the content of an execution that has ended and keeps its money; done before, it is done again, for what may
 * have come in late. @throws ApiError NOT_FOUND, EXECUTION_NOT_TERMINAL
 */
export async function erase(db: Database, organizationId: string, id: string): Promise<void> {
  while (!(await eraseExecution(db, organizationId, id))) {
    const execution = await getExecution(db, organizationId, id);
    if (!execution) throw new ApiError('NOT_FOUND', 'There is no such execution.');
    if (!isTerminal(execution.status)) {
      throw new ApiError(
        'EXECUTION_NOT_TERMINAL',
        `The execution is ${execution.status}. Cancel it first, or wait until it has ended.`,
      );
    }
    // It has ended since: it can be erased now.
  }
}
