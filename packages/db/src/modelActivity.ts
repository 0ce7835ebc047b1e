import type { Database } from './client.ts';
import { completedPartsSql } from './money.ts';
import { idAt, maxClockDifferenceMs, runStatement } from './statement.ts';

/** Failures with this many newer ones are not counted: the cost has a bound, however many there are. */
export const maxCountedFailures = 20_000;

type Counts = { completed: number; failed: number };

/** `day`: the last 24 hours, of whole hours for what completed; `week`: since the midnight (UTC) seven days before. */
export type ModelActivity = { model: string; day: Counts; week: Counts };

type Completed = { model: string; completed: string };
type Failed = { model: string; day: number; week: number; total: number };

const dayMs = 24 * 3_600_000;

/** What was run of each model; executions of test keys are left out. `areMore`: not all failures were counted. */
export async function readModelActivity(
  db: Database,
  now: Date,
): Promise<{ models: ModelActivity[]; areMore: boolean }> {
  const day = new Date(now.getTime() - dayMs);
  const week = new Date(Math.floor(now.getTime() / dayMs - 7) * dayMs);
  const since = idAt('exec', week.getTime() - maxClockDifferenceMs);
  const [completedInWeek, completedInDay, failed] = await Promise.all([
    runStatement<Completed>(db.pool, 'read_model_week', completedSql('day'), [week, now]),
    runStatement<Completed>(db.pool, 'read_model_day', completedSql('hour'), [day, now]),
    runStatement<Failed>(db.pool, 'read_model_failures', failedSql, [since, maxCountedFailures, week, day]),
  ]);
  const found = new Map<string, ModelActivity>();
  const of = (model: string) => {
    const known = found.get(model) ?? {
      model,
      day: { completed: 0, failed: 0 },
      week: { completed: 0, failed: 0 },
    };
    found.set(model, known);
    return known;
  };
  for (const { model, completed } of completedInDay) of(model).day.completed = Number(completed);
  for (const { model, completed } of completedInWeek) of(model).week.completed = Number(completed);
  for (const row of failed) {
    of(row.model).day.failed = row.day;
    of(row.model).week.failed = row.week;
  }
  const total = failed.reduce((sum, row) => sum + row.total, 0);
  return { models: [...found.values()], areMore: total >= maxCountedFailures };
}

const completedSql = (unit: 'hour' | 'day') => `
SELECT u.model, sum(u.executions)::text AS completed
FROM organizations o CROSS JOIN LATERAL (${completedPartsSql[unit]}
) u
WHERE o.test_of IS NULL GROUP BY u.model`;

// The newest, by the index of failures.
const failedSql = `
SELECT f.model, count(*) FILTER (WHERE f.created_at >= $4 AND o.test_of IS NULL)::float8 AS day,
  count(*) FILTER (WHERE f.created_at >= $3 AND o.test_of IS NULL)::float8 AS week, count(*)::float8 AS total
FROM (
  SELECT id, organization_id, model, created_at, status FROM executions
  WHERE error_code IS NOT NULL AND id COLLATE "POSIX" >= $1 ORDER BY id COLLATE "POSIX" DESC LIMIT $2
) f JOIN organizations o ON o.id = f.organization_id
GROUP BY f.model`;
