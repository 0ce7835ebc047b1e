import type { Database } from '@holdfast/db/client';
import type { Ended } from '@holdfast/db/executions/ending';
import { expireExecutions } from '@holdfast/db/executions/expire';
import { type EndingHints, hintStop } from './hints.ts';

const page = 500;

/**
 * PENDING, PROCESSING, AWAITING_WEBHOOK -> EXPIRED for all whose `expires_at` has passed with no result: holds released,
 * `execution.expired`, providers told to stop. `ended` is told which.
 */
export async function expireDue(args: {
  db: Database;
  hints: EndingHints;
  ended(done: Ended[]): void;
}): Promise<void> {
  for (;;) {
    const done = await expireExecutions(args.db, page);
    args.ended(done);
    await hintStop(args.hints, done);
    if (done.length < page) return;
  }
}
