import type { Database } from './client.ts';
import { runStatement } from './statement.ts';

const page = 5000;
/** Hours are read for short periods, days for all others. */
const hoursKeptDays = 40;

/** Adds what runs of ended executions cost to the sums, some at a time. Returns how many it added. */
export async function sumProviderCosts(db: Database): Promise<number> {
  const [row] = await runStatement<{ found: number }>(db.pool, 'sum_provider_costs', sumSql, [page]);
  return row?.found ?? 0;
}

export async function dropOldProviderHours(db: Database): Promise<void> {
  await runStatement(db.pool, 'drop_provider_hours', dropSql, [hoursKeptDays]);
}

// A row that another ledger sums up at this moment is skipped. An execution may have been dropped with its month.
const sumSql = `
WITH due AS MATERIALIZED (
  SELECT p.*, e.organization_id, e.model, e.completed_at,
    p.is_success AND e.status = 'COMPLETED' AS is_paid, e.cost AS revenue
  FROM provider_costs p LEFT JOIN LATERAL (
    SELECT organization_id, model, status, cost, completed_at, id FROM executions WHERE id = p.execution_id OFFSET 0
  ) e ON true
  WHERE e.id IS NULL OR e.completed_at IS NOT NULL
  LIMIT $1 FOR UPDATE OF p SKIP LOCKED
),
summed AS (
  INSERT INTO provider_sums AS s
  SELECT u.unit, date_trunc(u.unit, d.completed_at, 'UTC'), d.organization_id, d.model, d.provider,
    count(*) FILTER (WHERE is_paid), coalesce(sum(revenue) FILTER (WHERE is_paid), 0),
    coalesce(sum(d.cost) FILTER (WHERE is_paid), 0), count(*) FILTER (WHERE NOT is_paid),
    coalesce(sum(d.cost) FILTER (WHERE NOT is_paid), 0)
  FROM due d CROSS JOIN (VALUES ('hour'), ('day')) AS u (unit)
  WHERE d.completed_at IS NOT NULL
  GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
  ON CONFLICT (unit, starts_at, organization_id, model, provider) DO UPDATE SET runs = s.runs + excluded.runs,
    revenue = s.revenue + excluded.revenue, cost = s.cost + excluded.cost,
    lost_runs = s.lost_runs + excluded.lost_runs, lost = s.lost + excluded.lost
),
done AS (DELETE FROM provider_costs WHERE attempt_id = ANY (ARRAY (SELECT attempt_id FROM due)))
SELECT count(*)::int AS found FROM due`;

const dropSql = `
DELETE FROM provider_sums WHERE unit = 'hour' AND starts_at < now() - $1::int * interval '1 day'`;
