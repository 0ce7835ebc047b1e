import type { ExecutionStatus } from '@holdfast/domain/statuses';
import type { Database } from '../client.ts';
import { firstId } from '../firstId.ts';
import { runStatement } from '../statement.ts';

/** Of one execution's log, as many characters at a time. */
const mostLog = 16_384;

/** What somebody who watches an execution is told of. Positions in its log count characters as PostgreSQL does. */
export type Sighting = {
  id: string;
  status: ExecutionStatus;
  progress: number | null;
  queuePosition: number | null;
  /** Characters of log in all, those that are not kept any more too. */
  logsTotal: number;
  /** Where `log` begins; null: there is nothing new, or nobody wants it. */
  logFrom: number | null;
  log: string | null;
};

/** How executions stand now, all at once; `logsSeen` is after how many characters of log there is more to tell. */
export async function sightExecutions(
  db: Database,
  asked: readonly { id: string; logsSeen: number | null }[],
): Promise<Sighting[]> {
  if (asked.length === 0) return [];
  const ids = asked.map(({ id }) => id);
  const seen = asked.map(({ logsSeen }) => logsSeen);
  return await runStatement<Sighting>(db.pool, 'sight_executions', statement, [
    ids,
    seen,
    firstId('exec', ids),
    mostLog,
  ]);
}

// One look-up by index for each. The length of a log that has nothing new is not asked for: it would be read for that.
const statement = `
SELECT e.id, e.status, e.progress, e.queue_position AS "queuePosition", e.logs_total::float8 AS "logsTotal",
  CASE WHEN e.logs_total > w.seen
    THEN greatest(w.seen, e.logs_total - coalesce(length(e.logs), 0))::float8 END AS "logFrom",
  CASE WHEN e.logs_total > w.seen
    THEN substr(e.logs, greatest(w.seen - e.logs_total + coalesce(length(e.logs), 0), 0)::int + 1, $4::int) END AS log
FROM unnest($1::text[], $2::bigint[]) AS w (id, seen) CROSS JOIN LATERAL (
  SELECT id, status, progress, queue_position, logs, logs_total FROM executions WHERE id = w.id AND id >= $3 LIMIT 1
) e`;
