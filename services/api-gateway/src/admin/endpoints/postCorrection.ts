import { z } from 'zod';
import { keylessEndpoint } from '../../context/endpoint.ts';
import { idParams } from '../../http/fields.ts';
import { idempotencyKeyHeader } from '../../http/requestHeaders.ts';
import { signedAmount } from '../../money/amounts.ts';
import { AdjustmentRecord, replyWithAdjustment } from '../adjustmentRecord.ts';

export const postCorrection = keylessEndpoint({
  method: 'POST',
  path: '/admin/v1/organizations/{id}/corrections',
  tag: 'Organizations',
  summary: "Correct an organization's balance",
  description:
    'Adds to the balance. An amount below 0 reduces the available balance, at most to 0. ' +
    'Requests with the same `Idempotency-Key` are applied once; a replay returns the original result with `Idempotent-Replayed: true`.',
  access: 'operator',
  limit: 'other',
  params: idParams('org', 'id'),
  headers: z.object({ 'Idempotency-Key': idempotencyKeyHeader }),
  body: z.strictObject({ amount: signedAmount, reason: z.string().trim().min(1).max(500) }),
  responses: { 201: { description: 'The correction is applied', schema: AdjustmentRecord } },
  errors: ['INSUFFICIENT_BALANCE', 'IDEMPOTENCY_KEY_REUSED', 'SERVICE_UNAVAILABLE'],
  handle: ({ context, params, body: { amount, reason }, headers }) =>
    replyWithAdjustment(context, {
      id: params.id,
      kind: 'correction',
      amount,
      reason,
      idempotencyKey: headers['idempotency-key'],
    }),
});
