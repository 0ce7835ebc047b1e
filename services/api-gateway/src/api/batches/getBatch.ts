import { batchRecord } from '@holdfast/domain/batch';
import { findBatch } from '../../batches/readable.ts';
import { Batch } from '../../batches/records.ts';
import { endpoint } from '../../context/endpoint.ts';
import { idParams } from '../../http/fields.ts';

export const getBatch = endpoint({
  method: 'GET',
  path: '/v1/batches/{id}',
  operationId: 'getBatch',
  tag: 'Batches',
  summary: 'Read a batch',
  description:
    'How many of its items have which status, what it cost and holds, and when it ends at this rate.',
  scope: 'executions:read',
  limit: 'other',
  params: idParams('bat', 'id'),
  responses: { 200: { description: 'The batch', schema: Batch } },
  async handle({ context, caller, params }) {
    return { status: 200, body: batchRecord(await findBatch(context, caller, params.id)) };
  },
});
