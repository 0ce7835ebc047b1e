import { limits } from '@holdfast/domain/limits';
import { type Money, MoneyDecimal } from '@holdfast/domain/money';
import { type AdjustResult, adjustWithin } from '../balances.ts';
import type { Database } from '../client.ts';
import { type Condition, givenConditions, inTransaction, runStatement } from '../statement.ts';

/** Whether a reported cost waits for an operator instead of being charged: it may be too large for `numeric(24, 8)`. */
export const isReviewedSql = (reported: string, hold: string) =>
  `${reported} > greatest(${hold}, least(${hold} * ${limits.reviewFactor}, ${limits.maxCost}))`;

export const reviewStates = ['open', 'accepted', 'written_off'] as const;
export type ReviewState = (typeof reviewStates)[number];

export type Review = {
  executionId: string;
  organizationId: string;
  /** Null: the month of the execution was dropped. */
  model: string | null;
  hold: Money;
  /** A decimal number of any size. */
  reportedCost: string;
  state: ReviewState;
  createdAt: Date;
  /** The following are null while it is open; `charged` also when it was written off. */
  decidedAt: Date | null;
  decidedBy: string | null;
  reason: string | null;
  charged: Money | null;
};

const columns = `r.execution_id AS "executionId", r.organization_id AS "organizationId", e.model, r.hold,
  r.reported_cost AS "reportedCost", r.state, r.created_at AS "createdAt", r.decided_at AS "decidedAt",
  r.decided_by AS "decidedBy", r.reason, r.charged`;

const withExecution = (reviews: string) =>
  `${reviews} r LEFT JOIN LATERAL (SELECT model FROM executions WHERE id = r.execution_id OFFSET 0) e ON true`;

export type ReviewFilter = {
  state?: ReviewState | undefined;
  organizationId?: string | undefined;
  cursor?: string | undefined;
};

/** The newest executions first. */
export async function listReviews(db: Database, filter: ReviewFilter, limit: number): Promise<Review[]> {
  const given = givenConditions(conditions, filter, 1);
  const text = `SELECT ${columns} FROM ${withExecution('reviews')} WHERE true${given.sql}
    ORDER BY r.execution_id DESC LIMIT $1`;
  return await runStatement<Review>(db.pool, `list_reviews_${given.key}`, text, [limit, ...given.values]);
}

const conditions: Condition<ReviewFilter>[] = [
  { name: 'state', sql: 'r.state = ?' },
  { name: 'organizationId', sql: 'r.organization_id = ?' },
  { name: 'cursor', sql: 'r.execution_id < ?' },
];

export async function getReview(db: Database, executionId: string): Promise<Review | null> {
  const text = `SELECT ${columns} FROM ${withExecution('reviews')} WHERE r.execution_id = $1`;
  const [review] = await runStatement<Review>(db.pool, 'get_review', text, [executionId]);
  return review ?? null;
}

export type Decision = {
  executionId: string;
  kind: 'accept' | 'write_off';
  /** What to charge beyond the hold; null: all of the reported cost. A write-off has none. */
  amount: Money | null;
  reason: string;
  decidedBy: string;
  idempotencyKey: string;
  /** By the database's clock; nothing is written later. */
  until: Date;
};

export type DecideResult =
  | { outcome: 'decided'; isReplay: boolean }
  | { outcome: 'already decided' }
  | { outcome: 'above the reported cost' }
  | { outcome: 'key used' }
  | { outcome: 'no review' }
  | Extract<AdjustResult, { outcome: 'insufficient' | 'too late' | 'no organization' }>;

type Locked = Pick<Review, 'organizationId' | 'state'> & { rest: string; idempotencyKey: string | null };

/**
 * Decides a review once: with the correction that charges it in one transaction. A repeat with the same key is a replay, for the
 * caller to compare; any other is refused.
 */
export async function decideReview(db: Database, decision: Decision): Promise<DecideResult> {
  const { executionId, kind, reason, decidedBy, idempotencyKey, until } = decision;
  return await inTransaction(db, async (client) => {
    const [review] = await runStatement<Locked>(client, 'lock_review', lock, [executionId]);
    if (!review) return { outcome: 'no review' };
    if (review.state !== 'open') {
      const isReplay = review.idempotencyKey === idempotencyKey;
      return isReplay ? { outcome: 'decided', isReplay } : { outcome: 'already decided' };
    }
    const { organizationId } = review;
    const rest = new MoneyDecimal(review.rest);
    const charged = kind === 'accept' ? new MoneyDecimal(decision.amount ?? rest) : null;
    if (charged?.gt(rest)) return { outcome: 'above the reported cost' };
    const correction = charged && {
      organizationId,
      kind: 'correction' as const,
      amount: charged.neg().toFixed(),
      reason: `${executionId}: ${reason}`,
      idempotencyKey,
      until,
    };
    const adjusted = correction && (await adjustWithin(client, correction));
    if (adjusted && adjusted.outcome !== 'added') return adjusted;
    if (adjusted?.isReplay) return { outcome: 'key used' };
    const rows = await runStatement(client, 'decide_review', decide, [
      executionId,
      kind === 'accept' ? 'accepted' : 'written_off',
      decidedBy,
      reason,
      idempotencyKey,
      charged?.toFixed() ?? null,
      adjusted?.transfer.sequence ?? null,
      adjusted ? null : until,
    ]);
    return rows.length === 1 ? { outcome: 'decided', isReplay: false } : { outcome: 'too late' };
  });
}

/** A settled cost has 8 decimals, as every amount. */
const lock = `SELECT organization_id AS "organizationId", state, reported_cost - hold AS rest,
  idempotency_key AS "idempotencyKey" FROM reviews WHERE execution_id = $1 FOR UPDATE`;

/** Once the correction is written, it is no longer too late. */
const decide = `UPDATE reviews SET state = $2, decided_at = now(), decided_by = $3, reason = $4, idempotency_key = $5,
  charged = $6, correction = $7
WHERE execution_id = $1 AND ($8::timestamptz IS NULL OR clock_timestamp() <= $8) RETURNING 1`;
