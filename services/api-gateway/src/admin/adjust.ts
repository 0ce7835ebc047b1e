import { timeFromNow } from '@holdfast/db/statement';
import { ApiError } from '@holdfast/domain/errors';
import { newId } from '@holdfast/domain/ids';
import { formatMoney, type Money, MoneyDecimal } from '@holdfast/domain/money';
import { type AdjustResult, adjustResult } from '@holdfast/queues/definitions';
import type { Context } from '../context.ts';
import { notFound } from '../http/fields.ts';

type Asked = {
  organizationId: string;
  kind: 'top_up' | 'correction';
  amount: Money;
  reason: string | null;
  /** Null: this request gets one of its own, so that a job which runs twice adds once. */
  idempotencyKey: string | null;
};

type Added = Extract<AdjustResult, { outcome: 'added' }>;

const answerWithinMs = 10_000;
/** Earlier than that, so that what was not answered in time is not added later. */
const doneWithinMs = 9000;

/**
 * Has the ledger service write a top-up or a correction: the gateway's own role cannot.
 * @throws ApiError NOT_FOUND, INSUFFICIENT_BALANCE, IDEMPOTENCY_KEY_REUSED, SERVICE_UNAVAILABLE
 */
export async function adjust(context: Context, asked: Asked): Promise<Added> {
  const idempotencyKey = asked.idempotencyKey ?? newId('req');
  const result = await ask(context, { ...asked, idempotencyKey });
  if (result.outcome === 'no organization') throw notFound('organization');
  if (result.outcome === 'too late') throw unanswered(idempotencyKey);
  if (result.outcome === 'insufficient') {
    const message = `The available balance of ${formatMoney(result.available)} does not cover the correction.`;
    throw new ApiError('INSUFFICIENT_BALANCE', message);
  }
  requireSame(asked, result.transfer);
  return result;
}

async function ask(
  { db, adjustments, log }: Context,
  asked: Asked & { idempotencyKey: string },
): Promise<AdjustResult> {
  const requestId = newId('req');
  const until = await timeFromNow(db, doneWithinMs);
  try {
    return adjustResult.parse(await adjustments.request({ requestId, ...asked, until }, answerWithinMs));
  } catch (error) {
    log.warn(
      { err: error, organizationId: asked.organizationId },
      'the ledger did not answer for an adjustment',
    );
    throw unanswered(asked.idempotencyKey);
  }
}

function unanswered(idempotencyKey: string): ApiError {
  const message =
    'The ledger did not answer in time: the amount may have been added all the same. Send it again with the header ' +
    `"Idempotency-Key: ${idempotencyKey}", and it is added once.`;
  return new ApiError('SERVICE_UNAVAILABLE', message, { headers: { 'Retry-After': '2' } });
}

function requireSame(asked: Asked, { kind, amount, reason }: Added['transfer']): void {
  const isSameMove = kind === asked.kind && new MoneyDecimal(amount).eq(asked.amount);
  if (isSameMove && reason === asked.reason) return;
  const first = `a ${kind === 'top_up' ? 'top-up' : 'correction'} of ${formatMoney(amount)}`;
  throw new ApiError(
    'IDEMPOTENCY_KEY_REUSED',
    `This Idempotency-Key was used for ${first}${isSameMove ? ' with another reason' : ''}.`,
  );
}
