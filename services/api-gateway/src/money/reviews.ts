import { type Decision, getReview, type Review } from '@holdfast/db/executions/reviews';
import { ApiError, invalidField } from '@holdfast/domain/errors';
import { newId } from '@holdfast/domain/ids';
import { formatMoney, MoneyDecimal } from '@holdfast/domain/money';
import { decideResult } from '@holdfast/queues/definitions';
import type { Context } from '../context/context.ts';
import { notFound } from '../http/fields.ts';
import { ledgerTimeout, requestWrite } from './adjustments.ts';

/**
 * Has the ledger service accept or write off the cost in a review. A null key: as of an adjustment.
 * @throws ApiError NOT_FOUND, REVIEW_ALREADY_DECIDED, INPUT_VALIDATION_ERROR, INSUFFICIENT_BALANCE, IDEMPOTENCY_KEY_REUSED,
 * SERVICE_UNAVAILABLE
 */
export async function decide(
  context: Context,
  asked: Omit<Decision, 'until' | 'idempotencyKey'> & { idempotencyKey: string | null },
): Promise<{ review: Review; isReplay: boolean }> {
  const decision = { ...asked, idempotencyKey: asked.idempotencyKey ?? newId('req') };
  const result = await requestWrite(context, decideResult, decision);
  if (result.outcome === 'too late') throw ledgerTimeout(decision.idempotencyKey);
  if (result.outcome === 'insufficient') {
    const message = `The available balance of ${formatMoney(result.available)} does not cover the amount.`;
    throw new ApiError('INSUFFICIENT_BALANCE', message);
  }
  if (result.outcome === 'key used') {
    const message = "This Idempotency-Key was already used for another change of the organization's balance.";
    throw new ApiError('IDEMPOTENCY_KEY_REUSED', message);
  }
  const review = await getReview(context.db, asked.executionId);
  if (!review || result.outcome === 'no review' || result.outcome === 'no organization')
    throw notFound('review');
  if (result.outcome === 'above the reported cost') {
    const rest = formatMoney(restOf(review));
    throw invalidField(
      'amount',
      'OUT_OF_RANGE',
      `amount must be at most ${rest}, which the hold did not cover.`,
    );
  }
  if (result.outcome === 'already decided') {
    throw new ApiError('REVIEW_ALREADY_DECIDED', `This review was already ${decisionText(review)}.`);
  }
  requireSameDecision(decision, review);
  return { review, isReplay: result.isReplay };
}

const restOf = ({ reportedCost, hold }: Review) => new MoneyDecimal(reportedCost).minus(hold);

function decisionText({ charged, decidedBy, decidedAt }: Review): string {
  const what = charged === null ? 'written off' : `accepted for ${formatMoney(charged)}`;
  return `${what} by ${decidedBy} at ${decidedAt?.toISOString()}`;
}

function requireSameDecision({ kind, amount, reason }: Omit<Decision, 'until'>, review: Review): void {
  const asked = kind === 'accept' ? new MoneyDecimal(amount ?? restOf(review)) : null;
  const isSame = asked === null ? review.charged === null : asked.eq(review.charged ?? 0);
  if (isSame && reason === review.reason) return;
  throw new ApiError(
    'IDEMPOTENCY_KEY_REUSED',
    `With this Idempotency-Key, the review was ${decisionText(review)}.`,
  );
}
