import type { Database } from '../client.ts';
import { runStatement } from '../statement.ts';

/** Deliveries with this many newer ones are not looked at: the cost of a chart has a bound. */
export const maxDeliveries = 2000;

/** Finished attempts that started in this hour. */
export type EndpointHour = {
  at: Date;
  succeeded: number;
  failed: number;
  p50Ms: number | null;
  p95Ms: number | null;
};

export type EndpointHours = {
  /** Oldest first; hours without attempts are missing. */
  hours: EndpointHour[];
  /** Older deliveries were not looked at; null: all were. */
  since: Date | null;
};

/** Attempts of the newest 2,000 deliveries to this endpoint since `from`, a full hour. */
export async function readEndpointHours(db: Database, id: string, from: Date): Promise<EndpointHours> {
  const rows = await runStatement<(EndpointHour | { at: null }) & { seen: number; oldest: Date }>(
    db.pool,
    'read_endpoint_hours',
    hoursSql,
    [id, from, maxDeliveries],
  );
  const [first] = rows;
  return {
    hours: rows.filter((row) => row.at !== null),
    since: first && first.seen >= maxDeliveries ? first.oldest : null,
  };
}

// By the index of the endpoint's deliveries, and one look-up per delivery by the primary key. Without attempts it is one
// row without an hour: what was looked at is known all the same.
const hoursSql = `WITH newest AS MATERIALIZED (
    SELECT d.id, d.created_at FROM deliveries d
    WHERE d.endpoint_id = $1 AND d.created_at >= $2 ORDER BY d.created_at DESC LIMIT $3
  )
  SELECT h.*, s.seen, s.oldest
  FROM (SELECT count(*)::float8 AS seen, min(created_at) AS oldest FROM newest) s
  LEFT JOIN (
    SELECT date_trunc('hour', a.started_at, 'UTC') AS at,
      count(*) FILTER (WHERE a.error IS NULL)::float8 AS succeeded,
      count(*) FILTER (WHERE a.error IS NOT NULL)::float8 AS failed,
      percentile_disc(0.5) WITHIN GROUP (ORDER BY a.duration_ms) AS "p50Ms",
      percentile_disc(0.95) WITHIN GROUP (ORDER BY a.duration_ms) AS "p95Ms"
    FROM newest d CROSS JOIN LATERAL (
      SELECT x.started_at, x.error, x.duration_ms FROM delivery_attempts x
      WHERE x.delivery_id = d.id AND x.duration_ms IS NOT NULL ORDER BY x.number DESC LIMIT 50
    ) a
    GROUP BY 1
  ) h ON true ORDER BY h.at`;
