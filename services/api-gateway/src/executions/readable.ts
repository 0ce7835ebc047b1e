import { getExecution } from '@holdfast/db/executions/read';
import { ApiError } from '@holdfast/domain/errors';
import type { Execution } from '@holdfast/domain/execution';
import type { Caller } from '../access/identity.ts';
import { mayReadModel } from '../access/models.ts';
import type { Context } from '../context/context.ts';
import { notFound, requireId } from '../http/fields.ts';

type Reader = Pick<Caller, 'organizationId' | 'models' | 'token'>;

/**
 * For an execution token without `metadata` and `webhookUrl`, which are for the owner's server.
 * @throws ApiError NOT_FOUND also for another organization's execution, one of a model that the key may not use, and one
 * that is not the token's; EXECUTION_ERASED for a token
 */
export async function findExecution(
  { reader }: Pick<Context, 'reader'>,
  caller: Reader,
  id: string,
): Promise<Execution> {
  const { organizationId } = caller;
  const known = requireId('exec', id, 'execution');
  const execution = await reader.readPrimary(organizationId, (db) => getExecution(db, organizationId, known));
  if (!execution || !mayReadModel(caller, execution.model)) throw notFound('execution');
  const { token } = caller;
  if (token === null) return execution;
  if (token.executionId !== known) throw notFound('execution');
  if (execution.erasedAt) throw new ApiError('EXECUTION_ERASED', 'The execution was erased.');
  return { ...execution, metadata: null, webhookUrl: null };
}

/** Null: it is not about an execution. @throws ApiError NOT_FOUND, naming `what`, unless the key may read it */
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
