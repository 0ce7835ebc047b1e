import type { Database } from './client.ts';
import { firstIdSince, idAt, maxClockDifferenceMs, runStatement } from './statement.ts';
import { shownStateSql } from './webhooks/deliveries.ts';

/** Executions with this many newer ones are not looked at: the cost of an overview has a bound. */
export const maxSeen = 20_000;

export type Counts = { created: number; completed: number; failed: number; cancelled: number };

export type Activity = {
  /** Oldest first; minutes without executions are missing. */
  minutes: (Counts & { at: Date })[];
  /** Duration from creation to completion. */
  models: (Counts & { model: string; p50Ms: number | null; p95Ms: number | null })[];
  errors: { code: string; count: number }[];
  /** Older executions of the window were not looked at; null: all were. */
  since: Date | null;
};

export type ProviderActivity = {
  provider: string;
  attempts: number;
  failed: number;
  open: number;
  p50Ms: number | null;
};

export type DeliveryActivity = { delivered: number; pending: number; failed: number; expired: number };

type Row = Counts & {
  kind: 'minute' | 'model' | 'error' | 'all';
  at: Date | null;
  model: string | null;
  code: string | null;
  oldest: Date | null;
  seen: number;
  p50Ms: number | null;
  p95Ms: number | null;
};

/** Executions created since `from`, a full minute: of the newest ones. */
export async function readActivity(db: Database, from: Date): Promise<Activity> {
  const values = [idAt('exec', from.getTime() - maxClockDifferenceMs), maxSeen, from];
  const rows = await runStatement<Row>(db.pool, 'read_activity', activitySql, values);
  const all = rows.find(({ kind }) => kind === 'all');
  return {
    minutes: rows.flatMap(({ at, ...row }) =>
      row.kind === 'minute' && at ? [{ ...countsOf(row), at }] : [],
    ),
    models: rows.flatMap(({ model, p50Ms, p95Ms, ...row }) =>
      row.kind === 'model' && model !== null ? [{ ...countsOf(row), model, p50Ms, p95Ms }] : [],
    ),
    errors: rows.flatMap(({ kind, code, failed }) =>
      kind === 'error' && code !== null ? [{ code, count: failed }] : [],
    ),
    since: all && all.seen >= maxSeen ? all.oldest : null,
  };
}

const countsOf = ({ created, completed, failed, cancelled }: Counts): Counts => ({
  created,
  completed,
  failed,
  cancelled,
});

// Found by the primary key, which is in the order of time and prunes the months before.
const activitySql = `WITH newest AS MATERIALIZED (
    SELECT s.created_at, s.status, s.model, s.error_code AS code,
      CASE WHEN s.status = 'COMPLETED' THEN extract(epoch FROM s.completed_at - s.created_at)::float8 * 1000 END AS ms
    FROM executions s WHERE s.id >= $1 ORDER BY s.id DESC LIMIT $2
  ), counted AS (
    SELECT CASE WHEN grouping(at) = 0 THEN 'minute' WHEN grouping(model) = 0 THEN 'model'
        WHEN grouping(code) = 0 THEN 'error' ELSE 'all' END AS kind, at, model, code, min(created_at) AS oldest,
      count(*)::float8 AS created,
      count(*) FILTER (WHERE status = 'COMPLETED')::float8 AS completed,
      count(*) FILTER (WHERE status IN ('FAILED', 'EXPIRED'))::float8 AS failed,
      count(*) FILTER (WHERE status = 'CANCELLED')::float8 AS cancelled
    FROM (SELECT date_trunc('minute', created_at) AS at, * FROM newest WHERE created_at >= $3) seen
    GROUP BY GROUPING SETS ((at), (model), (code), ())
  ), durations AS (
    SELECT model, percentile_disc(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY ms) AS percentiles FROM newest
    WHERE created_at >= $3 AND ms IS NOT NULL GROUP BY model
  )
  SELECT counted.*, (SELECT count(*) FROM newest WHERE created_at >= $3)::float8 AS seen, percentiles[1] AS "p50Ms", percentiles[2] AS "p95Ms"
  FROM counted LEFT JOIN durations ON counted.kind = 'model' AND durations.model = counted.model
  ORDER BY counted.at, counted.created DESC, counted.model, counted.code`;

/** Attempts of executions created since `from`: of the newest ones. */
export async function readProviderActivity(db: Database, from: Date): Promise<ProviderActivity[]> {
  const values = [idAt('exec', from.getTime()), maxSeen];
  return await runStatement<ProviderActivity>(db.pool, 'read_provider_activity', providerSql, values);
}

const providerSql = `SELECT provider, count(*)::float8 AS attempts,
    count(*) FILTER (WHERE state IN ('failed', 'refused', 'unknown'))::float8 AS failed,
    count(*) FILTER (WHERE finished_at IS NULL)::float8 AS open,
    percentile_disc(0.5) WITHIN GROUP (
      ORDER BY CASE WHEN state = 'succeeded' THEN extract(epoch FROM finished_at - created_at)::float8 * 1000 END
    ) AS "p50Ms"
  FROM (
    SELECT a.provider, a.state, a.created_at, a.finished_at FROM attempts a
    WHERE a.execution_id >= $1 ORDER BY a.execution_id DESC LIMIT $2
  ) newest GROUP BY provider ORDER BY provider`;

/** Deliveries created since `from`: of those of the newest executions. */
export async function readDeliveryActivity(db: Database, from: Date): Promise<DeliveryActivity> {
  const values = [firstIdSince('dlv', from.getTime()), maxSeen, from];
  const [row] = await runStatement<DeliveryActivity>(db.pool, 'read_delivery_activity', deliverySql, values);
  return row ?? { delivered: 0, pending: 0, failed: 0, expired: 0 };
}

const deliverySql = `SELECT count(*) FILTER (WHERE state = 'delivered')::float8 AS delivered,
    count(*) FILTER (WHERE state = 'pending')::float8 AS pending,
    count(*) FILTER (WHERE state = 'failed')::float8 AS failed,
    count(*) FILTER (WHERE state = 'expired')::float8 AS expired
  FROM (
    SELECT ${shownStateSql} AS state, d.created_at FROM deliveries d WHERE d.id >= $1 ORDER BY d.id DESC LIMIT $2
  ) newest WHERE created_at >= $3`;

/** At most `atMost` of each are counted. */
export type FailingEndpoints = { failing: number; deactivated: number };

export async function countFailingEndpoints(db: Database, atMost: number): Promise<FailingEndpoints> {
  const [row] = await runStatement<FailingEndpoints>(db.pool, 'count_failing_endpoints', failingSql, [
    atMost,
  ]);
  return row ?? { failing: 0, deactivated: 0 };
}

const failingSql = `SELECT count(*) FILTER (WHERE is_active)::float8 AS failing,
    count(*) FILTER (WHERE NOT is_active)::float8 AS deactivated
  FROM (SELECT is_active FROM webhook_endpoints WHERE failing_since IS NOT NULL AND deleted_at IS NULL LIMIT $1) found`;
