import type { Database } from '@holdfast/db/client';
import type { Ended } from '@holdfast/db/executions/endings';
import { expireExecutions, overdueExecutions } from '@holdfast/db/executions/endings';
import { isRefusal } from '@holdfast/db/faults';
import { type EndingHints, hintStop } from './hints.ts';
import type { Told } from './told.ts';

const page = 500;

/**
 * PENDING, PROCESSING, AWAITING_WEBHOOK -> EXPIRED for all whose `expires_at` has passed with no result: holds released,
 * `execution.expired`, providers told to stop. `ended` is told which.
 * @throws for one that is refused, when all others are done
 */
export async function expireDue(args: { db: Database; hints: EndingHints; ended: Told }): Promise<void> {
  for (;;) {
    const begunAtMs = Date.now();
    const { done, refusal } = await expirePage(args.db);
    args.ended(done, begunAtMs);
    await hintStop(args.hints, done);
    if (refusal) throw refusal;
    if (done.length < page) return;
  }
}

/** One that the database refuses to end, for its books are damaged, must not keep the others waiting: each by itself. */
async function expirePage(db: Database): Promise<{ done: Ended[]; refusal?: Error }> {
  try {
    return { done: await expireExecutions(db, page) };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const done: Ended[] = [];
    for (const id of await overdueExecutions(db, page)) done.push(...(await expireOne(db, id)));
    return { done, refusal: error };
  }
}

async function expireOne(db: Database, id: string): Promise<Ended[]> {
  try {
    return await expireExecutions(db, 1, id);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return [];
  }
}
