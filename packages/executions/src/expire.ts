import type { Database } from '@holdfast/db/client';
import { expireExecutions } from '@holdfast/db/executions/expire';
import { type EndingHints, hintStop } from './hints.ts';

const page = 500;

/**
 * PENDING, PROCESSING, AWAITING_WEBHOOK -> EXPIRED for all whose `expires_at` has passed with no result: holds released,
 * `execution.expired`, providers told to stop. Answers how many.
 */
export async function expireDue(args: { db: Database; hints: EndingHints }): Promise<number> {
  let count = 0;
  for (;;) {
    const ended = await expireExecutions(args.db, page);
    await hintStop(args.hints, ended);
    count += ended.length;
    if (ended.length < page) return count;
  }
}
