import type { RefundRequest } from '@holdfast/db/refunds';
import { ApiError, invalidField } from '@holdfast/domain/errors';
import { newId } from '@holdfast/domain/ids';
import { formatMoney, MoneyDecimal } from '@holdfast/domain/money';
import { type RefundResult, refundResult } from '@holdfast/queues/definitions';
import type { Context } from '../context/context.ts';
import { notFound } from '../http/fields.ts';
import { ledgerTimeout, requestWrite } from './adjustments.ts';

type Refund = Extract<RefundResult, { outcome: 'added' }>;

/**
 * Has the ledger service refund an execution. A null key: as of an adjustment.
 * @throws ApiError NOT_FOUND, INPUT_VALIDATION_ERROR, IDEMPOTENCY_KEY_REUSED, SERVICE_UNAVAILABLE
 */
export async function refund(
  context: Context,
  asked: Omit<RefundRequest, 'until' | 'idempotencyKey'> & { idempotencyKey: string | null },
): Promise<Refund> {
  const request = { kind: 'refund' as const, ...asked, idempotencyKey: asked.idempotencyKey ?? newId('req') };
  const result = await requestWrite(context, refundResult, request);
  if (result.outcome === 'no execution') throw notFound('execution');
  if (result.outcome === 'too late') throw ledgerTimeout(request.idempotencyKey);
  if (result.outcome === 'key used') throw keyReused("another change of the organization's balance");
  if (result.outcome === 'above the charge') {
    const message = new MoneyDecimal(result.left).gt(0)
      ? `amount must be at most ${formatMoney(result.left)}, which is left of what the execution was charged.`
      : 'Nothing is left to refund: the execution was charged nothing, or all of it was returned.';
    throw invalidField('amount', 'OUT_OF_RANGE', message);
  }
  const { amount, reason } = result.transfer;
  const isSame = asked.amount === null || new MoneyDecimal(amount).eq(asked.amount);
  if (!isSame || reason !== asked.reason) throw keyReused(`a refund of ${formatMoney(amount)}`);
  return result;
}

function keyReused(what: string): ApiError {
  return new ApiError('IDEMPOTENCY_KEY_REUSED', `This Idempotency-Key was already used for ${what}.`);
}
