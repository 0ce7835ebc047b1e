import { organizationOf } from '@holdfast/db/executions/read';
import { cancel } from '@holdfast/executions/lifecycle';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { ExecutionRecord, executionRecord } from '../../executions/records.ts';
import { idParams, notFound, requireId } from '../../http/fields.ts';

export const cancelAnyExecution = keylessEndpoint({
  method: 'POST',
  path: '/admin/v1/executions/{id}/cancel',
  tag: 'Executions',
  summary: "Cancel any organization's execution",
  description:
    'Releases the hold at once, as when the client cancels. 409 when the execution has already ended in another way.',
  access: 'operator',
  limit: 'other',
  params: idParams('exec', 'id'),
  responses: { 200: { description: 'The cancelled execution', schema: ExecutionRecord } },
  errors: ['EXECUTION_ALREADY_TERMINAL'],
  async handle({ context, params, publicUrl }) {
    const id = requireId('exec', params.id, 'execution');
    const organizationId = await organizationOf(context.db, id);
    if (organizationId === null) throw notFound('execution');
    return { status: 200, body: executionRecord(await cancel(context, organizationId, id), publicUrl) };
  },
});
