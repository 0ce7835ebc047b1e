import type { EventType } from '@holdfast/domain/eventTypes';
import { type ExecutionStatus, transitions } from '@holdfast/domain/statuses';
import type { Database } from '../client.ts';
import { firstId } from '../firstId.ts';
import { runStatement } from '../statement.ts';

/** Of one execution's log, as many characters at a time. */
const mostLog = 16_384;

/** What somebody who watches an execution is told of. Positions in its log count characters as PostgreSQL does. */
export type WatchedExecution = {
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
export async function readWatchedExecutions(
  db: Database,
  asked: readonly { id: string; logsSeen: number | null }[],
): Promise<WatchedExecution[]> {
  if (asked.length === 0) return [];
  const ids = asked.map(({ id }) => id);
  const seen = asked.map(({ logsSeen }) => logsSeen);
  return await runStatement<WatchedExecution>(db.pool, 'sight_executions', statement, [
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

/**
 * The organizations among those of the CTE `rows` that have an endpoint for events of this type: an event that nobody
 * receives is written as fanned out. Spec, "Events" 1: an empty list of types is all of them.
 */
export function subscribedOrganizationsSql(rows: string, type: EventType): string {
  return `
  SELECT DISTINCT organization_id FROM webhook_endpoints
  WHERE organization_id = ANY (ARRAY (SELECT DISTINCT organization_id FROM ${rows})) AND deleted_at IS NULL AND is_active
    AND (coalesce(cardinality(events), 0) = 0 OR '${type}' = ANY (events) OR 'execution.*' = ANY (events))`;
}

/** The ids of the events of an execution: that it started, and how it ended. */
export function eventIdsOfExecutionSql(executionId: string): string {
  return `event_id(${executionId}, '${transitions.start.event}'), event_id(${executionId}, '${transitions.complete.event}')`;
}

/** That a delivery is of an execution. */
export function isDeliveryOfExecutionSql(alias: string, executionId: string): string {
  return `${hasTimeSql(alias, `substr(${executionId}::text, 6, 14)`)} AND ${alias}.event_id IN (${eventIdsOfExecutionSql(executionId)})`;
}

/** That a delivery is of an event. */
export function isDeliveryOfEventSql(alias: string, eventId: string): string {
  return `${hasTimeSql(alias, `substr(${eventId}, 5, 14)`)} AND ${alias}.event_id = ${eventId}`;
}

/** The id of a delivery begins like that of its event and its execution: with a time, and a dash that sorts before `g`. */
const hasTimeSql = (alias: string, time: string) =>
  `${alias}.id >= 'dlv_' || ${time} AND ${alias}.id < 'dlv_' || ${time} || 'g'`;
