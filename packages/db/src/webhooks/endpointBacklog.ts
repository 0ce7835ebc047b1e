import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';
import type { DeliveryAttemptRow } from './deliveries.ts';

/** Waiting deliveries are counted up to this number. */
export const maxCounted = 10_000;

/** Number of deliveries that are looked at from each end. */
const searched = 1000;
const attemptsShown = 5;

type LastAttemptRow = DeliveryAttemptRow & { deliveryId: string; eventType: string };

export type EndpointBacklog = {
  /** When failures turned the endpoint off; null: they did not. */
  deactivatedAt: Date | null;
  /** At most `maxCounted` + 1. */
  waiting: number;
  /** The last finished attempt of each delivery, newest first. */
  attempts: LastAttemptRow[];
};

/** What waits for an endpoint, and what its receiver responded last, however many deliveries wait behind. */
export async function readEndpointBacklog(db: Database, id: string): Promise<EndpointBacklog> {
  const attempts = await runStatement<LastAttemptRow>(db.pool, 'last_endpoint_attempts', lastAttemptsSql, [
    id,
    searched,
    attemptsShown,
  ]);
  const [counted] = await runStatement<Omit<EndpointBacklog, 'attempts'>>(
    db.pool,
    'count_endpoint_backlog',
    countSql,
    [id, maxCounted + 1],
  );
  return { deactivatedAt: null, waiting: 0, ...counted, attempts };
}

// The range of missed events begins a second before the endpoint was turned off.
const countSql = `SELECT
    CASE WHEN NOT w.is_active THEN (SELECT max(lower(r)) + interval '1 second' FROM unnest(w.missed) r WHERE upper_inf(r)) END
      AS "deactivatedAt",
    (SELECT count(*)::float8 FROM (
      SELECT FROM deliveries d WHERE d.lane = w.id AND d.state = 'pending' LIMIT $2
    ) waiting) AS waiting
  FROM webhook_endpoints w WHERE w.id = $1`;

// A failing endpoint is probed with its oldest deliveries, and the newest only wait: both ends are read by the index of the
// endpoint's deliveries, and their attempts by the primary key. None that was due at the last failure is more than a day older.
const lastAttemptsSql = `WITH near AS MATERIALIZED (
    (SELECT d.id, d.event_id FROM deliveries d WHERE d.endpoint_id = $1 ORDER BY d.created_at DESC LIMIT $2)
    UNION
    (SELECT d.id, d.event_id FROM deliveries d WHERE d.endpoint_id = $1 AND d.created_at >= (
        SELECT greatest(w.last_success - interval '1 minute', w.last_failure - interval '1 day')
        FROM webhook_endpoints w WHERE w.id = $1
      ) ORDER BY d.created_at LIMIT $2)
  ), newest AS MATERIALIZED (
    SELECT n.event_id, a.* FROM near n CROSS JOIN LATERAL (
      SELECT * FROM delivery_attempts x WHERE x.delivery_id = n.id AND x.duration_ms IS NOT NULL
      ORDER BY x.number DESC LIMIT 1
    ) a ORDER BY a.started_at DESC LIMIT $3
  )
  SELECT n.delivery_id AS "deliveryId", (SELECT e.type FROM events e WHERE e.id = n.event_id) AS "eventType", n.number,
    n.started_at AS "startedAt", n.duration_ms AS "durationMs", n.status_code AS "statusCode", n.error, n.stage,
    n.answer AS response
  FROM newest n ORDER BY n.started_at DESC`;
