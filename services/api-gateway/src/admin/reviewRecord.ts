import { type Review, reviewStates } from '@holdfast/db/executions/reviews';
import { formatMoney } from '@holdfast/domain/money';
import { z } from 'zod';
import { amount, idField, timestamp } from '../http/fields.ts';

export const ReviewRecord = z
  .object({
    execution_id: idField('exec'),
    organization_id: idField('org'),
    model: z.string().nullable().describe('Null: the execution was dropped with its month'),
    hold: amount('The hold, which was charged when the execution completed'),
    reported_cost: amount('The cost of what the provider reported; it can have hundreds of digits'),
    state: z.enum(reviewStates),
    created_at: timestamp('When the execution was settled'),
    decided_at: timestamp('Null: it is open').nullable(),
    decided_by: z.string().nullable().describe('The operator; null: it is open'),
    reason: z.string().nullable(),
    charged: amount('What was charged beyond the hold; null unless it was accepted').nullable(),
  })
  .meta({
    id: 'Review',
    description:
      'A cost that no one would believe: only the hold was charged, and an operator decides about the rest',
  });

export function reviewRecord(review: Review): z.infer<typeof ReviewRecord> {
  return {
    execution_id: review.executionId,
    organization_id: review.organizationId,
    model: review.model,
    hold: formatMoney(review.hold),
    reported_cost: formatMoney(review.reportedCost),
    state: review.state,
    created_at: review.createdAt.toISOString(),
    decided_at: review.decidedAt?.toISOString() ?? null,
    decided_by: review.decidedBy,
    reason: review.reason,
    charged: review.charged === null ? null : formatMoney(review.charged),
  };
}
