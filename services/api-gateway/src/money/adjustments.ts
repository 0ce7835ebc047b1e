import type { Decision } from '@holdfast/db/executions/reviews';
import type { RefundRequest } from '@holdfast/db/refunds';
import { timeFromNow } from '@holdfast/db/statement';
import { ApiError } from '@holdfast/domain/errors';
import { newId } from '@holdfast/domain/ids';
import { formatMoney, type Money, MoneyDecimal } from '@holdfast/domain/money';
import { type AdjustResult, adjustResult } from '@holdfast/queues/definitions';
import type { z } from 'zod';
import type { Context } from '../context/context.ts';
import { notFound } from '../http/fields.ts';

type Adjustment = {
  organizationId: string;
  kind: 'top_up' | 'correction';
  amount: Money;
  reason: string | null;
  /** Null: a new one is generated, so that a job that runs twice still adds once. */
  idempotencyKey: string | null;
};

export type Added = Extract<AdjustResult, { outcome: 'added' }>;

const replyTimeoutMs = 10_000;
/** Shorter than the reply timeout: an adjustment reported as failed must not be applied later. */
const applyTimeoutMs = 9000;

/**
 * Has the ledger service write a top-up or a correction, because the gateway's database role cannot.
 * @throws ApiError NOT_FOUND, INSUFFICIENT_BALANCE, IDEMPOTENCY_KEY_REUSED, SERVICE_UNAVAILABLE
 */
export async function adjust(context: Context, adjustment: Adjustment): Promise<Added> {
  const idempotencyKey = adjustment.idempotencyKey ?? newId('req');
  const result = await requestWrite(context, adjustResult, { ...adjustment, idempotencyKey });
  if (result.outcome === 'no organization') throw notFound('organization');
  if (result.outcome === 'too late') throw ledgerTimeout(idempotencyKey);
  if (result.outcome === 'insufficient') {
    const message = `The available balance of ${formatMoney(result.available)} does not cover the correction.`;
    throw new ApiError('INSUFFICIENT_BALANCE', message);
  }
  requireSameTransfer(adjustment, result.transfer);
  return result;
}

type Asked =
  | (Adjustment & { idempotencyKey: string })
  | Omit<Decision, 'until'>
  | ({ kind: 'refund' } & Omit<RefundRequest, 'until'>);

/** Has the ledger service write. @throws ApiError SERVICE_UNAVAILABLE */
export async function requestWrite<Result>(
  { db, adjustments, log }: Context,
  result: z.ZodType<Result>,
  asked: Asked,
): Promise<Result> {
  const requestId = newId('req');
  const until = await timeFromNow(db, applyTimeoutMs);
  try {
    return result.parse(await adjustments.request({ requestId, ...asked, until }, replyTimeoutMs));
  } catch (error) {
    const of =
      'executionId' in asked ? { executionId: asked.executionId } : { organizationId: asked.organizationId };
    log.warn({ err: error, ...of }, 'the ledger did not respond to an adjustment');
    throw ledgerTimeout(asked.idempotencyKey);
  }
}

export function ledgerTimeout(idempotencyKey: string): ApiError {
  const message =
    'The ledger did not respond in time; the change may or may not have been made. Send the request again with the ' +
    `header "Idempotency-Key: ${idempotencyKey}" so that it is made only once.`;
  return new ApiError('SERVICE_UNAVAILABLE', message, { headers: { 'Retry-After': '2' } });
}

function requireSameTransfer(
  adjustment: Adjustment,
  { kind, amount, reason }: Pick<Adjustment, 'kind' | 'amount' | 'reason'>,
): void {
  const isSameMove = kind === adjustment.kind && new MoneyDecimal(amount).eq(adjustment.amount);
  if (isSameMove && reason === adjustment.reason) return;
  const original = `a ${kind === 'top_up' ? 'top-up' : 'correction'} of ${formatMoney(amount)}`;
  throw new ApiError(
    'IDEMPOTENCY_KEY_REUSED',
    `This Idempotency-Key was already used for ${original}${isSameMove ? ' with another reason' : ''}.`,
  );
}
