import { sealBatch } from '@holdfast/db/batches/turns';
import { batchRecord } from '@holdfast/domain/batch';
import { ApiError } from '@holdfast/domain/errors';
import { formatMoney } from '@holdfast/domain/money';
import { findBatch, statusConflict } from '../../batches/readable.ts';
import { Batch } from '../../batches/records.ts';
import { endpoint } from '../../context/endpoint.ts';
import { topUpTest } from '../../executions/createExecution.ts';
import { idParams } from '../../http/fields.ts';

export const postSeal = endpoint({
  method: 'POST',
  path: '/v1/batches/{id}/seal',
  operationId: 'sealBatch',
  tag: 'Batches',
  summary: 'Seal a batch',
  description:
    'It takes no more items, and its items start. `completion_window_s` counts from now. Sealing a sealed batch returns it. With `reserve`, 402 when the balance does not cover the holds of all items, at most `max_cost`: it stays open.',
  scope: 'executions:write',
  limit: 'other',
  params: idParams('bat', 'id'),
  responses: { 200: { description: 'The batch', schema: Batch } },
  errors: ['INSUFFICIENT_BALANCE', 'BATCH_STATUS_CONFLICT'],
  async handle({ context, caller, params }) {
    const batch = await findBatch(context, caller, params.id);
    if (caller.isTest) await topUpTest(context, caller.organizationId, `seal of ${batch.id}`);
    const sealed = await sealBatch(context.db, caller.organizationId, batch.id);
    if (sealed.outcome === 'sealed') return { status: 200, body: batchRecord(sealed.batch) };
    if (sealed.outcome === 'insufficient') {
      throw new ApiError(
        'INSUFFICIENT_BALANCE',
        `The available balance does not cover the reservation of ${formatMoney(sealed.wanted)}.`,
      );
    }
    const current = await findBatch(context, caller, batch.id);
    if (current.sealedAt === null) throw statusConflict(current, 'only an open batch can be sealed');
    return { status: 200, body: batchRecord(current) };
  },
});
