import { pauseBatch } from '@holdfast/db/batches/turns';
import { batchRecord } from '@holdfast/domain/batch';
import { findBatch, statusConflict } from '../../batches/readable.ts';
import { Batch } from '../../batches/records.ts';
import { endpoint } from '../../context/endpoint.ts';
import { idParams } from '../../http/fields.ts';

export const postPauseBatch = endpoint({
  method: 'POST',
  path: '/v1/batches/{id}/pause',
  operationId: 'pauseBatch',
  tag: 'Batches',
  summary: 'Pause a batch',
  description:
    'No more items start until `resume`; open executions go on, and so does the completion window. Pausing a paused batch returns it. 409 when it does not run, or no item waits.',
  scope: 'executions:write',
  limit: 'other',
  params: idParams('bat', 'id'),
  responses: { 200: { description: 'The batch', schema: Batch } },
  errors: ['BATCH_STATUS_CONFLICT'],
  async handle({ context, caller, params }) {
    await pauseBatch(context.db, await findBatch(context, caller, params.id), 'requested');
    const batch = await findBatch(context, caller, params.id);
    if (batch.status !== 'paused')
      throw statusConflict(batch, 'only a running batch whose items wait can be paused');
    return { status: 200, body: batchRecord(batch) };
  },
});
