import { type ExecutionStatus, transitions } from '@holdfast/domain/statuses';
import type { Database } from '../client.ts';
import { firstId, runStatement } from '../statement.ts';

const maxLogLength = 16_384;

/** Log positions count characters as PostgreSQL does. */
export type WatchedExecution = {
  id: string;
  status: ExecutionStatus;
  progress: number | null;
  queuePosition: number | null;
  logsTotal: number;
  logFrom: number | null;
  log: string | null;
};

/** The current state of executions; `logsSeen`: characters of log the client has (null: not interested). */
export async function readWatchedExecutions(
  db: Database,
  requests: readonly { id: string; logsSeen: number | null }[],
): Promise<WatchedExecution[]> {
  if (requests.length === 0) return [];
  const ids = requests.map(({ id }) => id);
  const seen = requests.map(({ logsSeen }) => logsSeen);
  return await runStatement<WatchedExecution>(db.pool, 'sight_executions', statement, [
    ids,
    seen,
    firstId('exec', ids),
    maxLogLength,
  ]);
}

// One index look-up each. The length of an unchanged log is not computed: that would read it.
const statement = `
SELECT e.id, e.status, e.progress, e.queue_position AS "queuePosition", e.logs_total::float8 AS "logsTotal",
  CASE WHEN e.logs_total > w.seen
    THEN greatest(w.seen, e.logs_total - coalesce(length(e.logs), 0))::float8 END AS "logFrom",
  CASE WHEN e.logs_total > w.seen
    THEN substr(e.logs, greatest(w.seen - e.logs_total + coalesce(length(e.logs), 0), 0)::int + 1, $4::int) END AS log
FROM unnest($1::text[], $2::bigint[]) AS w (id, seen) CROSS JOIN LATERAL (
  SELECT id, status, progress, queue_position, logs, logs_total FROM executions WHERE id = w.id AND id >= $3 LIMIT 1
) e`;

export function eventIdsOfExecutionSql(executionId: string): string {
  return `event_id(${executionId}, '${transitions.start.event}'), event_id(${executionId}, '${transitions.complete.event}')`;
}

export function isDeliveryOfExecutionSql(alias: string, executionId: string): string {
  return `${hasTimeSql(alias, `substr(${executionId}::text, 6, 14)`)} AND ${alias}.event_id IN (${eventIdsOfExecutionSql(executionId)})`;
}

export function isDeliveryOfEventSql(alias: string, eventId: string): string {
  return `${hasTimeSql(alias, `substr(${eventId}, 5, 14)`)} AND ${alias}.event_id = ${eventId}`;
}

/** A delivery's id starts with the time of its event and execution, and a dash that sorts before `g`. */
const hasTimeSql = (alias: string, time: string) =>
  `${alias}.id >= 'dlv_' || ${time} AND ${alias}.id < 'dlv_' || ${time} || 'g'`;
