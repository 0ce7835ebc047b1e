import { resumeBatch } from '@holdfast/db/batches/turns';
import { batchRecord } from '@holdfast/domain/batch';
import { z } from 'zod';
import { findBatch, statusConflict } from '../../batches/readable.ts';
import { Batch } from '../../batches/records.ts';
import { endpoint } from '../../context/endpoint.ts';
import { idParams } from '../../http/fields.ts';
import { limitAmount } from '../../money/amounts.ts';

export const postResumeBatch = endpoint({
  method: 'POST',
  path: '/v1/batches/{id}/resume',
  operationId: 'resumeBatch',
  tag: 'Batches',
  summary: 'Resume a paused batch',
  description:
    'A batch that was paused for want of balance, or by a spend limit, resumes by itself. One that reached `max_cost` pauses again unless a higher one is given. Resuming a running batch returns it.',
  scope: 'executions:write',
  limit: 'other',
  params: idParams('bat', 'id'),
  body: z
    .strictObject({
      max_cost: limitAmount
        .optional()
        .meta({ description: 'Takes the place of `max_cost`', example: '50.00' }),
    })
    .meta({ id: 'ResumeBatch' }),
  responses: { 200: { description: 'The batch', schema: Batch } },
  errors: ['BATCH_STATUS_CONFLICT'],
  async handle({ context, caller, params, body }) {
    const { id } = await findBatch(context, caller, params.id);
    await resumeBatch(context.db, caller.organizationId, id, body.max_cost ?? null);
    const batch = await findBatch(context, caller, id);
    if (batch.status !== 'running') throw statusConflict(batch, 'only a paused batch can be resumed');
    return { status: 200, body: batchRecord(batch) };
  },
});
