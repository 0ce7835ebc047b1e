import { getExecution } from '@holdfast/db/executions/read';
import { ApiError } from '@holdfast/domain/errors';
import type { Execution } from '@holdfast/domain/execution';
import { z } from 'zod';
import { mayReadModel } from '../apiKeys/modelAccess.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../http/endpoint.ts';
import { notFound, requireId, timeFilter, toDate } from '../http/fields.ts';
import { checkedCursor, pageQuery } from '../http/paging.ts';
import { ExecutionStatus } from './records.ts';

type Reader = Pick<Caller, 'organizationId' | 'models' | 'token'>;

/**
 * For an execution token without `metadata` and `webhookUrl`, which are for the owner's server.
 * @throws ApiError NOT_FOUND also for another organization's execution, one of a model that the key may not use, and one
 * that is not the token's; EXECUTION_ERASED for a token
 */
export async function findExecution(
  context: Pick<Context, 'db'>,
  caller: Reader,
  id: string,
): Promise<Execution> {
  const known = requireId('exec', id, 'execution');
  const execution = await getExecution(context.db, caller.organizationId, known);
  if (!execution || !mayReadModel(caller, execution.model)) throw notFound('execution');
  const { token } = caller;
  if (token === null) return execution;
  if (token.executionId !== known) throw notFound('execution');
  if (execution.erasedAt) throw new ApiError('EXECUTION_ERASED', 'The execution was erased.');
  return { ...execution, metadata: null, webhookUrl: null };
}

/**
 * Checks that a key limited to models may read something about this execution; null: it is not about an execution.
 * @throws ApiError NOT_FOUND, naming `what`
 */
export async function requireReadable(
  { db }: Pick<Context, 'db'>,
  caller: Reader,
  executionId: string | null,
  what = 'execution',
): Promise<void> {
  if (caller.models.length === 0 || executionId === null) return;
  const execution = await getExecution(db, caller.organizationId, executionId);
  if (!execution || !mayReadModel(caller, execution.model)) throw notFound(what);
}

export const executionQuery = pageQuery({ limit: 20, maxLimit: 100 }).extend({
  status: ExecutionStatus.optional().describe('Only executions with this status'),
  model: z.string().max(64).optional().describe('Model slug'),
  created_after: timeFilter('Only executions created after this time'),
  created_before: timeFilter('Only executions created before this time'),
});

/** @throws INPUT_VALIDATION_ERROR for a cursor that no page returned */
export function executionFilter(query: z.infer<typeof executionQuery>) {
  return {
    status: query.status,
    model: query.model,
    createdAfter: toDate(query.created_after),
    createdBefore: toDate(query.created_before),
    cursor: checkedCursor('exec', query.cursor),
  };
}
