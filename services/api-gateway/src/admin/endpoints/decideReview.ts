import type { Decision } from '@holdfast/db/executions/reviews';
import { z } from 'zod';
import { identityOf } from '../../access/identity.ts';
import { requireNamed } from '../../access/operators.ts';
import { type EndpointRequest, keylessEndpoint } from '../../context/endpoint.ts';
import { type Reply } from '../../http/endpoint.ts';
import { idParams, requireId } from '../../http/fields.ts';
import { idempotencyKeyHeader, readIdempotencyKey } from '../../http/requestHeaders.ts';
import { positiveAmount } from '../../money/amounts.ts';
import { decide } from '../../money/reviews.ts';
import { ReviewRecord, reviewRecord } from '../reviewRecord.ts';

const reason = z.string().trim().min(1).max(500);
const headers = z.object({ 'Idempotency-Key': idempotencyKeyHeader });
const once =
  'A review is decided once: another request gets 409, and one with the same `Idempotency-Key` the decision with ' +
  '`Idempotent-Replayed: true`.';

export const postAcceptReview = keylessEndpoint({
  method: 'POST',
  path: '/admin/v1/reviews/{id}/accept',
  tag: 'Reviews',
  summary: 'Charge a cost that was held back',
  description:
    'Charges `amount`, by default all of the reported cost that the hold did not cover, as a correction of the balance. The ' +
    `client sees the execution and the reason in its transactions. 402 when the available balance is less. ${once}`,
  access: 'operator',
  limit: 'other',
  params: idParams('exec', 'id'),
  headers,
  body: z.strictObject({
    amount: positiveAmount
      .optional()
      .describe('What to charge beyond the hold, at most `reported_cost` - `hold`'),
    reason,
  }),
  responses: { 200: { description: 'The accepted review', schema: ReviewRecord } },
  errors: ['INSUFFICIENT_BALANCE', 'REVIEW_ALREADY_DECIDED', 'IDEMPOTENCY_KEY_REUSED', 'SERVICE_UNAVAILABLE'],
  handle: (request) => replyWithDecision(request, 'accept', request.body.amount ?? null),
});

export const postWriteOffReview = keylessEndpoint({
  method: 'POST',
  path: '/admin/v1/reviews/{id}/write-off',
  tag: 'Reviews',
  summary: 'Write off a cost that was held back',
  description: `Closes the review; nothing more is charged. ${once}`,
  access: 'operator',
  limit: 'other',
  params: idParams('exec', 'id'),
  headers,
  body: z.strictObject({ reason }),
  responses: { 200: { description: 'The review that was written off', schema: ReviewRecord } },
  errors: ['REVIEW_ALREADY_DECIDED', 'IDEMPOTENCY_KEY_REUSED', 'SERVICE_UNAVAILABLE'],
  handle: (request) => replyWithDecision(request, 'write_off', null),
});

/** 200, with `Idempotent-Replayed` for the decision of an earlier request. @throws ApiError as `decide` does */
async function replyWithDecision(
  {
    context,
    params,
    body,
    headers: sent,
    raw,
  }: Omit<EndpointRequest<{ id: string }, unknown, { reason: string }>, 'caller'>,
  kind: Decision['kind'],
  amount: Decision['amount'],
): Promise<Reply> {
  const { review, isReplay } = await decide(context, {
    executionId: requireId('exec', params.id, 'review'),
    kind,
    amount,
    reason: body.reason,
    decidedBy: requireNamed(identityOf(raw.response).operator).name,
    idempotencyKey: readIdempotencyKey(sent['idempotency-key'], false),
  });
  const replayed = { headers: { 'Idempotent-Replayed': 'true' } };
  return { status: 200, body: reviewRecord(review), ...(isReplay && replayed) };
}
