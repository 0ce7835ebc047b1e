import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@holdfast/db/client';

export type Backlog = Record<
  'executions' | 'attempts' | 'unsettled' | 'callbacks' | 'events' | 'deliveries',
  number
>;

/** All 0 at rest. A refused attempt is never settled: another one follows it. */
export async function readBacklog({ pool }: Database): Promise<Backlog> {
  const { rows } = await pool.query<Backlog>(statement);
  if (!rows[0]) throw new Error('nothing was counted');
  return rows[0];
}

const statement = `
SELECT
  (SELECT count(*) FROM executions WHERE status IN ('PENDING', 'PROCESSING', 'AWAITING_WEBHOOK'))::int AS executions,
  (SELECT count(*) FROM attempts WHERE finished_at IS NULL)::int AS attempts,
  (SELECT count(*) FROM attempts WHERE finished_at IS NOT NULL AND outcome IS NOT NULL AND settled_at IS NULL AND state <> 'refused')::int AS unsettled,
  (SELECT count(*) FROM provider_callbacks WHERE processed_at IS NULL)::int AS callbacks,
  (SELECT count(*) FROM events WHERE fanned_out_at IS NULL)::int AS events,
  (SELECT count(*) FROM deliveries WHERE state = 'pending')::int AS deliveries`;

export const sumOf = (backlog: Backlog): number =>
  Object.values(backlog).reduce((sum, count) => sum + count, 0);

const everyMs = 1000;

/** Waits until the backlog is empty; returns the backlog that is left after `withinMs`, else null. */
export async function untilAtRest(db: Database, withinMs: number): Promise<Backlog | null> {
  const giveUpAtMs = performance.now() + withinMs;
  for (let last: Backlog | null = null; ; await delay(everyMs)) {
    last = await readBacklog(db).catch(() => last);
    if (last !== null && sumOf(last) === 0) return null;
    if (performance.now() > giveUpAtMs) return last;
  }
}
