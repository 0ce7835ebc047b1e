import { z } from 'zod';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { idParams } from '../../http/fields.ts';
import { idempotencyKeyHeader } from '../../http/requestHeaders.ts';
import { positiveAmount } from '../../money/amounts.ts';
import { AdjustmentRecord, replyWithAdjustment } from '../adjustmentRecord.ts';

export const postTopUp = keylessEndpoint({
  method: 'POST',
  path: '/admin/v1/organizations/{id}/top-ups',
  tag: 'Organizations',
  summary: "Add to an organization's balance",
  description:
    'Requests with the same `Idempotency-Key` are applied once; a replay returns the original result with `Idempotent-Replayed: true`.',
  access: 'operator',
  limit: 'other',
  params: idParams('org', 'id'),
  headers: z.object({ 'Idempotency-Key': idempotencyKeyHeader }),
  body: z.strictObject({ amount: positiveAmount, reason: z.string().trim().min(1).max(500).optional() }),
  responses: { 201: { description: 'The amount is added', schema: AdjustmentRecord } },
  errors: ['IDEMPOTENCY_KEY_REUSED', 'SERVICE_UNAVAILABLE'],
  handle: ({ context, params, body: { amount, reason = null }, headers }) =>
    replyWithAdjustment(context, {
      id: params.id,
      kind: 'top_up',
      amount,
      reason,
      idempotencyKey: headers['idempotency-key'],
    }),
});
