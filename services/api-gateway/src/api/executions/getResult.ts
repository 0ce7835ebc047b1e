import { ApiError } from '@holdfast/domain/errors';
import { resultRecord } from '@holdfast/domain/execution';
import { isTerminal } from '@holdfast/domain/statuses';
import { endpoint } from '../../context/endpoint.ts';
import { findExecution } from '../../executions/readable.ts';
import { ExecutionResult } from '../../executions/records.ts';
import { idParams } from '../../http/fields.ts';

/** Contract 11.4: the suggested polling interval. */
const pollIntervalS = '2';

export const getResult = endpoint({
  method: 'GET',
  path: '/v1/executions/{id}/result',
  operationId: 'getExecutionResult',
  tag: 'Executions',
  summary: "Read an execution's result",
  description:
    '409 `EXECUTION_NOT_READY` while the execution is open, 409 `EXECUTION_NOT_COMPLETED` when it ended without a result, 410 `EXECUTION_ERASED` once it is erased.',
  scope: 'executions:read',
  allowsTokens: true,
  limit: 'other',
  params: idParams('exec', 'id'),
  responses: { 200: { description: 'The result', schema: ExecutionResult } },
  errors: ['EXECUTION_NOT_READY', 'EXECUTION_NOT_COMPLETED', 'EXECUTION_ERASED'],
  async handle({ context, caller, params }) {
    const execution = await findExecution(context, caller, params.id);
    if (execution.erasedAt) throw new ApiError('EXECUTION_ERASED', 'The result was erased.');
    if (execution.status === 'COMPLETED') return { status: 200, body: resultRecord(execution) };
    if (isTerminal(execution.status)) {
      throw new ApiError(
        'EXECUTION_NOT_COMPLETED',
        `The execution is ${execution.status} and has no result.`,
      );
    }
    throw new ApiError('EXECUTION_NOT_READY', `The execution is ${execution.status}. Try again later.`, {
      headers: { 'Retry-After': pollIntervalS },
    });
  },
});
