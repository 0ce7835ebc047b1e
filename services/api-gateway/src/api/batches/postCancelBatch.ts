import { finishBatch } from '@holdfast/db/batches/turns';
import { batchRecord } from '@holdfast/domain/batch';
import { findBatch, statusConflict } from '../../batches/readable.ts';
import { Batch } from '../../batches/records.ts';
import { endpoint } from '../../context/endpoint.ts';
import { idParams } from '../../http/fields.ts';

export const postCancelBatch = endpoint({
  method: 'POST',
  path: '/v1/batches/{id}/cancel',
  operationId: 'cancelBatch',
  tag: 'Batches',
  summary: 'Cancel a batch',
  description:
    'Cancels the items that wait and the executions that are open; what completed stays, and is charged. Cancelling a cancelled batch returns it. 409 when it has ended in another way.',
  scope: 'executions:write',
  limit: 'other',
  params: idParams('bat', 'id'),
  responses: { 200: { description: 'The batch, which is `finishing`', schema: Batch } },
  errors: ['BATCH_STATUS_CONFLICT'],
  async handle({ context, caller, params }) {
    const { id } = await findBatch(context, caller, params.id);
    await finishBatch(context.db, { id, organizationId: caller.organizationId }, 'cancelled');
    const batch = await findBatch(context, caller, id);
    if (batch.endsAs !== 'cancelled') throw statusConflict(batch, 'it can no longer be cancelled');
    return { status: 200, body: batchRecord(batch) };
  },
});
