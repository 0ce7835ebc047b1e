import { erase } from '@holdfast/executions/lifecycle';
import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { requireReadable } from '../../executions/readable.ts';
import { idField, idParams, requireId } from '../../http/fields.ts';

export const deleteExecution = endpoint({
  method: 'DELETE',
  path: '/v1/executions/{id}',
  operationId: 'eraseExecution',
  tag: 'Executions',
  summary: "Erase an execution's content",
  description:
    'Erases the input, output, metadata, `webhook_url`, error message and output files of an execution that has ended. Its status, times and amounts remain. Pending webhook deliveries are dropped; uploaded input files are kept. Erasing an erased execution returns the same response. 409 while the execution is open: cancel it first.',
  scope: 'executions:write',
  limit: 'other',
  params: idParams('exec', 'id'),
  responses: {
    200: {
      description: 'The execution is erased',
      schema: z.object({ id: idField('exec'), deleted: z.literal(true) }).meta({ id: 'DeletedExecution' }),
    },
  },
  errors: ['EXECUTION_NOT_TERMINAL'],
  async handle({ context, caller, params }) {
    const id = requireId('exec', params.id, 'execution');
    await requireReadable(context, caller, id);
    await erase(context.db, caller.organizationId, id);
    return { status: 200, body: { id, deleted: true } };
  },
});
