import { getExecution } from '@holdfast/db/executions/get';
import type { Execution } from '@holdfast/domain/execution';
import type { Context } from '../context.ts';
import { knownShape, notFound } from '../http/fields.ts';

/** @throws ApiError NOT_FOUND for what is unknown and for what is another organization's */
export async function findExecution(
  context: Context,
  organizationId: string,
  id: string,
): Promise<Execution> {
  const execution = await getExecution(context.db, organizationId, knownShape('exec', id, 'execution'));
  if (!execution) throw notFound('execution');
  return execution;
}
