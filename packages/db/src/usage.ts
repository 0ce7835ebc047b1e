import type { Money } from '@holdfast/domain/money';
import type { Database } from './client.ts';
import { firstIdSince, runStatement } from './statement.ts';

export const usageGroupings = ['model', 'day'] as const;
export type UsageGrouping = (typeof usageGroupings)[number];

export type Usage = {
  group: string;
  executions: number;
  cost: Money;
  writtenOff: Money;
  inputTokens: number;
  outputTokens: number;
};

/** From creation to completion: an execution lives a day at most, but its result may wait for the ledger. */
const maxLifetimeMs = 7 * 86_400_000;
const hourMs = 3_600_000;

export type UsagePeriod = {
  from: Date;
  to: Date;
  /** The present hour counts as a whole. */
  isUntilNow: boolean;
  /** Hours of the time zone begin with those of UTC, all the time. */
  hasWholeHours: boolean;
};

/** Whole hours are read from `usage_hours`, the parts of hours at both ends from the executions. */
export async function sumUsage(
  db: Database,
  args: { organizationId: string; period: UsagePeriod; groupBy: UsageGrouping; timeZone: string },
): Promise<Usage[]> {
  const { organizationId, period, groupBy, timeZone } = args;
  const { from, to } = period;
  const { first, last } = wholeHours(period, groupBy);
  const createdSince = [from, last].map((time) => new Date(time.getTime() - maxLifetimeMs));
  const idsSince = createdSince.map((time) => firstIdSince('exec', time.getTime()));
  const common = [organizationId, from, first, last, to, ...createdSince, ...idsSince];
  const values = groupBy === 'day' ? [...common, timeZone] : common;
  const rows = await runStatement<UsageRow>(db.pool, `sum_usage_${groupBy}`, statements[groupBy], values);
  return rows.map((row) => ({
    ...row,
    executions: Number(row.executions),
    inputTokens: Number(row.inputTokens),
    outputTokens: Number(row.outputTokens),
  }));
}

/** From the first whole hour of the period to the last one's end. */
function wholeHours(period: UsagePeriod, groupBy: UsageGrouping): { first: Date; last: Date } {
  const { from, to, isUntilNow, hasWholeHours } = period;
  const first = new Date(Math.ceil(from.getTime() / hourMs) * hourMs);
  const last = isUntilNow ? to : new Date(Math.floor(to.getTime() / hourMs) * hourMs);
  const isRead = first <= last && (groupBy === 'model' || hasWholeHours);
  return isRead ? { first, last } : { first: to, last: to };
}

/** As text: sums exceed JavaScript numbers. */
type UsageRow = Record<keyof Usage, string>;

/**
 * The executions that completed from `start` to `end`; none are looked for between equal times. The index covers
 * organization and creation time; the id selects the months.
 */
const completedSql = (group: string, start: string, end: string, createdSince: string, idsSince: string) => `
  SELECT ${group}, 1, e.cost, e.written_off, e.input_tokens, e.output_tokens FROM executions e
  WHERE ${start} < ${end} AND e.organization_id = $1 AND e.status = 'COMPLETED'
    AND e.completed_at >= ${start} AND e.completed_at < ${end}
    AND e.created_at >= ${createdSince} AND e.created_at < ${end} AND e.id >= ${idsSince}`;

const statementBy = (group: (time: string) => string) => `
SELECT "group", sum(executions) AS executions, sum(cost) AS cost, coalesce(sum(written_off), 0) AS "writtenOff",
  coalesce(sum(input_tokens), 0) AS "inputTokens", coalesce(sum(output_tokens), 0) AS "outputTokens"
FROM (
  SELECT ${group('e.hour')} AS "group", e.executions, e.cost, e.written_off, e.input_tokens, e.output_tokens
  FROM usage_hours e WHERE e.organization_id = $1 AND e.hour >= $3 AND e.hour < $4
  UNION ALL ${completedSql(group('e.completed_at'), '$2', '$3', '$6', '$8')}
  UNION ALL ${completedSql(group('e.completed_at'), '$4', '$5', '$7', '$9')}
) part GROUP BY 1 ORDER BY 1`;

const statements: Record<UsageGrouping, string> = {
  model: statementBy(() => 'e.model COLLATE "C"'),
  day: statementBy((time) => `to_char(${time} AT TIME ZONE $10, 'YYYY-MM-DD')`),
};

/** A period whose ends are times, dates in a time zone, or null: then until now, and from the start of its month. */
export async function usagePeriod(
  db: Database,
  args: { from: string | null; to: string | null; timeZone: string },
): Promise<UsagePeriod> {
  const values = [args.timeZone, ...endValues(args.from), ...endValues(args.to)];
  const [period] = await runStatement<UsagePeriod>(db.pool, 'usage_period', periodSql, values);
  if (!period) throw new Error('the database returned no period');
  return period;
}

/** A date, then a time. Not the text of a time: PostgreSQL reads no offset of 16 hours or more. */
function endValues(end: string | null): [string | null, Date | null] {
  if (end === null) return [null, null];
  return end.length === 'yyyy-mm-dd'.length ? [end, null] : [null, new Date(end)];
}

const endSql = (date: string, time: string) =>
  `coalesce(${date}::timestamp AT TIME ZONE $1, ${time}::timestamptz)`;

const periodSql = `
SELECT "from", "to", "to" >= now() AS "isUntilNow", coalesce((
    SELECT bool_and(extract(minute FROM date_trunc('hour', moment, 'UTC') AT TIME ZONE $1) = 0)
    FROM (SELECT generate_series("from", least("to", "from" + interval '3 years'), '1 month') UNION ALL SELECT "to") m (moment)
  ), true) AS "hasWholeHours"
FROM (SELECT coalesce(${endSql('$4', '$5')}, now()) AS "to") p
CROSS JOIN LATERAL (
  SELECT coalesce(${endSql('$2', '$3')}, date_trunc('month', p."to" - interval '1 millisecond', $1)) AS "from"
) f`;
