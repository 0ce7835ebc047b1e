import type { Money } from '@holdfast/domain/money';
import type { Database } from './client.ts';
import { firstIdSince, runStatement } from './statement.ts';

export const usageGroupings = ['model', 'day', 'api_key', 'metadata'] as const;
export type UsageGrouping = (typeof usageGroupings)[number];
/** Those whose hours and days are summed. */
export type SummedGrouping = Exclude<UsageGrouping, 'metadata'>;

export type Usage = {
  /** Null: executions without an API key, or without this metadata. */
  group: string | null;
  executions: number;
  cost: Money;
  writtenOff: Money;
  inputTokens: number;
  outputTokens: number;
};

/** From creation to completion: an execution lives a day at most, but its result may wait for the ledger. */
const maxLifetimeMs = 7 * 86_400_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export type UsagePeriod = {
  from: Date;
  to: Date;
  /** The present hour counts as a whole. */
  isUntilNow: boolean;
  /** Hours of the time zone begin with those of UTC, all the time. */
  hasWholeHours: boolean;
};

/** Whole days and hours are read from their sums, the parts of hours at both ends from the executions. */
export async function sumUsage(
  db: Database,
  args: { organizationId: string; period: UsagePeriod; groupBy: SummedGrouping; timeZone: string },
): Promise<Usage[]> {
  const { organizationId, period, groupBy, timeZone } = args;
  const { from, to } = period;
  const hours = wholeHours(period, groupBy);
  const days = groupBy !== 'day' || timeZone === 'UTC' ? whole(dayMs, hours) : none(hours.last);
  const createdSince = [from, hours.last].map((time) => new Date(time.getTime() - maxLifetimeMs));
  const idsSince = createdSince.map((time) => firstIdSince('exec', time.getTime()));
  const ends = [from, hours.first, days.first, days.last, hours.last, to];
  const common = [organizationId, ...ends, ...createdSince, ...idsSince];
  const values = groupBy === 'day' ? [...common, timeZone] : common;
  const rows = await runStatement<UsageRow>(db.pool, `sum_usage_${groupBy}`, statements[groupBy], values);
  return rows.map(usageOf);
}

function usageOf({ group, executions, cost, writtenOff, inputTokens, outputTokens }: UsageRow): Usage {
  return {
    group,
    executions: Number(executions),
    cost,
    writtenOff,
    inputTokens: Number(inputTokens),
    outputTokens: Number(outputTokens),
  };
}

/** What any request by metadata reads at most. */
export const maxCountedByMetadata = 20_000;

/**
 * Sums up by the values of a member of the metadata, as text. The newest executions of the period count: since `countedSince`,
 * or all when it is null.
 */
export async function countUsageByMetadata(
  db: Database,
  args: { organizationId: string; period: UsagePeriod; name: string },
): Promise<{ rows: Usage[]; countedSince: Date | null }> {
  const { organizationId, period, name } = args;
  const createdSince = new Date(period.from.getTime() - maxLifetimeMs);
  const rows = await runStatement<(UsageRow | NoUsageRow) & { countedSince: Date | null }>(
    db.pool,
    'count_usage_by_metadata',
    metadataSql,
    [
      organizationId,
      period.from,
      period.to,
      createdSince,
      firstIdSince('exec', createdSince.getTime()),
      name,
      maxCountedByMetadata,
    ],
  );
  return {
    rows: rows.flatMap((row) => (row.executions === null ? [] : [usageOf(row)])),
    countedSince: rows[0]?.countedSince ?? null,
  };
}

type Span = { first: Date; last: Date };

const none = (at: Date): Span => ({ first: at, last: at });

function wholeHours(period: UsagePeriod, groupBy: SummedGrouping): Span {
  const { from, to, isUntilNow, hasWholeHours } = period;
  if (groupBy === 'day' && !hasWholeHours) return none(to);
  const hours = whole(hourMs, { first: from, last: to });
  return isUntilNow ? { ...hours, last: to } : hours;
}

/** From the first whole unit to the last one's end; without any, `last` twice. */
function whole(unitMs: number, { first, last }: Span): Span {
  const firstMs = Math.ceil(first.getTime() / unitMs) * unitMs;
  const lastMs = Math.floor(last.getTime() / unitMs) * unitMs;
  return firstMs <= lastMs ? { first: new Date(firstMs), last: new Date(lastMs) } : none(last);
}

/** As text: sums exceed JavaScript numbers. */
type UsageRow = Record<Exclude<keyof Usage, 'group'>, string> & Pick<Usage, 'group'>;

/** None of the executions that were counted ended in the period. */
type NoUsageRow = Record<keyof UsageRow, null>;

/** By `key`, which is a column: formatting the time of each row would take longer than adding it. */
const summedSql = (table: 'usage_days' | 'usage_hours', key: string, condition: string) => `
    SELECT ${key} AS key, sum(executions) AS executions, sum(cost) AS cost, sum(written_off) AS written_off,
      sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens
    FROM ${table} e WHERE e.organization_id = $1 AND ${condition} GROUP BY 1`;

const daysSql = (key: string) =>
  summedSql('usage_days', key, `e.day >= ${utcDate('$4')} AND e.day < ${utcDate('$5')}`);

const utcDate = (time: string) => `(${time}::timestamptz AT TIME ZONE 'UTC')::date`;

const hoursSql = (key: string, start: string, end: string) =>
  summedSql('usage_hours', key, `e.hour >= ${start} AND e.hour < ${end}`);

/** Later days have no sums yet. */
const summedUntil = `(SELECT greatest($4, least($5, coalesce((max(day) + 1)::timestamp AT TIME ZONE 'UTC', '-infinity')))
  FROM usage_days WHERE organization_id = $1)`;

/**
 * The executions that completed from `start` to `end`; none are looked for between equal times. The index covers
 * organization and creation time; the id selects the months.
 */
const completedSql = (key: string, start: string, end: string, createdSince: string, idsSince: string) => `
  SELECT ${key}, 1, e.cost, e.written_off, e.input_tokens, e.output_tokens FROM executions e
  WHERE ${start} < ${end} AND e.organization_id = $1 AND e.cost IS NOT NULL
    AND e.completed_at >= ${start} AND e.completed_at < ${end}
    AND e.created_at >= ${createdSince} AND e.created_at < ${end} AND e.id >= ${idsSince}`;

const sumsSql = (
  executions: string,
) => `${executions} AS executions, sum(cost) AS cost, coalesce(sum(written_off), 0) AS "writtenOff",
  coalesce(sum(input_tokens), 0) AS "inputTokens", coalesce(sum(output_tokens), 0) AS "outputTokens"`;

const statementBy = (group: string, key: (time: string) => string) => `
SELECT ${group} AS "group", ${sumsSql('sum(executions)')}
FROM (${[
  daysSql(key("e.day::timestamp AT TIME ZONE 'UTC'")),
  hoursSql(key('e.hour'), '$3', '$4'),
  hoursSql(key('e.hour'), summedUntil, '$6'),
  completedSql(key('e.completed_at'), '$2', '$3', '$8', '$10'),
  completedSql(key('e.completed_at'), '$6', '$7', '$9', '$11'),
].join('\n  UNION ALL ')}
) part GROUP BY 1 ORDER BY 1`;

const statements: Record<SummedGrouping, string> = {
  model: statementBy('key', () => 'e.model COLLATE "C"'),
  api_key: statementBy(`nullif(key, '')`, () => `coalesce(e.api_key_id, '') COLLATE "C"`),
  day: statementBy("to_char(key AT TIME ZONE $12, 'YYYY-MM-DD')", (time) => time),
};

const metadataSql = `
WITH newest AS MATERIALIZED (
  SELECT e.created_at, e.completed_at, e.metadata, e.cost, e.written_off, e.input_tokens, e.output_tokens FROM executions e
  WHERE e.organization_id = $1 AND e.created_at >= $4 AND e.created_at < $3 AND e.id >= $5
  ORDER BY e.created_at DESC LIMIT $7
)
SELECT g.*, n."countedSince" FROM (
  SELECT CASE WHEN count(*) = $7 THEN min(created_at) END AS "countedSince" FROM newest
) n LEFT JOIN (
  SELECT metadata ->> $6 AS "group", ${sumsSql('count(*)')}
  FROM newest WHERE cost IS NOT NULL AND completed_at >= $2 AND completed_at < $3 GROUP BY 1
) g ON true ORDER BY g.cost DESC, g."group"`;

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
