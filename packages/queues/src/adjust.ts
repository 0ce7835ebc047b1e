import { z } from 'zod';
import { defineQueue } from './queue.ts';

const adjustmentKind = z.enum(['top_up', 'correction']);

const transfer = z.object({
  kind: adjustmentKind,
  amount: z.string(),
  availableAfter: z.string(),
  reason: z.string().nullable(),
  createdAt: z.coerce.date(),
  sequence: z.string(),
});

/** What the ledger answers: the transfer under that idempotency key, or why there is none. */
export const adjustResult = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('added'), transfer }),
  z.object({ outcome: z.literal('insufficient'), available: z.string() }),
  z.object({ outcome: z.literal('too late') }),
  z.object({ outcome: z.literal('no organization') }),
]);
export type AdjustResult = z.infer<typeof adjustResult>;

/**
 * A top-up or a correction that an operator waits for: gateway -> ledger, which returns an AdjustResult. A job that runs
 * twice adds once, by its idempotency key; one that nobody took until `until` (by the database's clock) adds nothing.
 */
export const adjustQueue = defineQueue({
  name: 'adjust',
  payload: z.object({
    requestId: z.string(),
    organizationId: z.string(),
    kind: adjustmentKind,
    amount: z.string(),
    reason: z.string().nullable(),
    idempotencyKey: z.string(),
    until: z.coerce.date(),
  }),
  jobId: ({ requestId }) => requestId,
  tries: 1,
});
