import { cancel } from '@holdfast/executions/lifecycle';
import { endpoint } from '../../context/endpoint.ts';
import { requireReadable } from '../../executions/readable.ts';
import { ExecutionDetails, executionDetails } from '../../executions/records.ts';
import { idParams, requireId } from '../../http/fields.ts';

export const postCancel = endpoint({
  method: 'POST',
  path: '/v1/executions/{id}/cancel',
  operationId: 'cancelExecution',
  tag: 'Executions',
  summary: 'Cancel an execution',
  description:
    'Releases the hold at once. Cancelling a cancelled execution returns the same response. 409 when it has already ended in another way.',
  scope: 'executions:write',
  limit: 'other',
  params: idParams('exec', 'id'),
  responses: { 200: { description: 'The cancelled execution', schema: ExecutionDetails } },
  errors: ['EXECUTION_ALREADY_TERMINAL'],
  async handle({ context, caller, params, publicUrl }) {
    const id = requireId('exec', params.id, 'execution');
    await requireReadable(context, caller, id);
    const cancelled = await cancel(context, caller.organizationId, id);
    return { status: 200, body: executionDetails(cancelled, publicUrl) };
  },
});
