import { organizationOf } from '@holdfast/db/executions/read';
import { z } from 'zod';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { idField, idParams, notFound, requireId } from '../../http/fields.ts';
import { idempotencyKeyHeader, readIdempotencyKey } from '../../http/requestHeaders.ts';
import { positiveAmount } from '../../money/amounts.ts';
import { refund } from '../../money/refunds.ts';
import { AdjustmentRecord, replyWithTransfer } from '../adjustmentRecord.ts';

export const postRefund = keylessEndpoint({
  method: 'POST',
  path: '/admin/v1/executions/{id}/refund',
  tag: 'Executions',
  summary: 'Refund an execution',
  description:
    'Returns `amount` to the available balance, by default all that is left of the charge, by a correction that names the ' +
    'execution. All refunds of an execution together return at most what it was charged. Its status, result and usage do ' +
    'not change. Requests with the same `Idempotency-Key` are applied once; a replay returns the original result with ' +
    '`Idempotent-Replayed: true`.',
  access: 'operator',
  limit: 'other',
  params: idParams('exec', 'id'),
  headers: z.object({ 'Idempotency-Key': idempotencyKeyHeader }),
  body: z.strictObject({
    amount: positiveAmount.optional().describe('At most what is left of the charge, which is the default'),
    reason: z.string().trim().min(1).max(500).optional().describe('The client sees it in its transactions'),
  }),
  responses: {
    201: {
      description: 'The amount is returned',
      schema: AdjustmentRecord.extend({ execution_id: idField('exec') }).meta({ id: 'Refund' }),
    },
  },
  errors: ['IDEMPOTENCY_KEY_REUSED', 'SERVICE_UNAVAILABLE'],
  async handle({ context, params, body: { amount = null, reason = null }, headers }) {
    const executionId = requireId('exec', params.id, 'execution');
    const organizationId = await organizationOf(context.db, executionId);
    if (organizationId === null) throw notFound('execution');
    const idempotencyKey = readIdempotencyKey(headers['idempotency-key'], false);
    const refunded = await refund(context, { executionId, amount, reason, idempotencyKey });
    return await replyWithTransfer(context, organizationId, refunded, { execution_id: executionId });
  },
});
