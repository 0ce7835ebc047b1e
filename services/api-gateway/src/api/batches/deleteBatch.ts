import { eraseBatch } from '@holdfast/db/batches/erase';
import { z } from 'zod';
import { findBatch, statusConflict } from '../../batches/readable.ts';
import { endpoint } from '../../context/endpoint.ts';
import { idField, idParams } from '../../http/fields.ts';

export const deleteBatch = endpoint({
  method: 'DELETE',
  path: '/v1/batches/{id}',
  operationId: 'eraseBatch',
  tag: 'Batches',
  summary: "Erase a batch's content",
  description:
    'Its two files are gone at once. The inputs, outputs and metadata of its items, and what `DELETE /v1/executions/{id}` erases of their executions, are erased in the minutes after. Counts and amounts remain. 409 while it has not ended: cancel it first.',
  scope: 'executions:write',
  limit: 'other',
  params: idParams('bat', 'id'),
  responses: {
    200: {
      description: 'The batch is erased',
      schema: z.object({ id: idField('bat'), deleted: z.literal(true) }).meta({ id: 'DeletedBatch' }),
    },
  },
  errors: ['BATCH_STATUS_CONFLICT'],
  async handle({ context, caller, params }) {
    const batch = await findBatch(context, caller, params.id);
    const isErased = await eraseBatch(context.db, caller.organizationId, batch.id);
    if (!isErased) throw statusConflict(batch, 'only a batch that has ended can be erased');
    return { status: 200, body: { id: batch.id, deleted: true } };
  },
});
