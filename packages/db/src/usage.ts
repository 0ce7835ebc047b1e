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

export async function sumUsage(
  db: Database,
  args: { organizationId: string; from: Date; to: Date; groupBy: UsageGrouping; timeZone: string },
): Promise<Usage[]> {
  const { organizationId, from, to, groupBy, timeZone } = args;
  const since = new Date(from.getTime() - maxLifetimeMs);
  const common = [organizationId, from, to, since, firstIdSince('exec', since.getTime())];
  const values = groupBy === 'day' ? [...common, timeZone] : common;
  const rows = await runStatement<UsageRow>(db.pool, `sum_usage_${groupBy}`, statements[groupBy], values);
  return rows.map((row) => ({
    ...row,
    executions: Number(row.executions),
    inputTokens: Number(row.inputTokens),
    outputTokens: Number(row.outputTokens),
  }));
}

/** As text: sums exceed JavaScript numbers. */
type UsageRow = Record<keyof Usage, string>;

// The index covers organization and creation time; the id selects the months.
const statementBy = (group: string) => `
SELECT ${group} AS "group", count(*) AS executions, sum(e.cost) AS cost,
  coalesce(sum(e.written_off), 0) AS "writtenOff",
  coalesce(sum(e.input_tokens), 0) AS "inputTokens", coalesce(sum(e.output_tokens), 0) AS "outputTokens"
FROM executions e
WHERE e.organization_id = $1 AND e.status = 'COMPLETED' AND e.completed_at >= $2 AND e.completed_at < $3
  AND e.created_at >= $4 AND e.created_at < $3 AND e.id >= $5
GROUP BY 1 ORDER BY 1`;

const statements: Record<UsageGrouping, string> = {
  model: statementBy('e.model COLLATE "C"'),
  day: statementBy(`to_char(e.completed_at AT TIME ZONE $6, 'YYYY-MM-DD')`),
};

/** A period whose ends are times, dates in a time zone, or null: then until now, and from the start of its month. */
export async function usagePeriod(
  db: Database,
  args: { from: string | null; to: string | null; timeZone: string },
): Promise<{ from: Date; to: Date }> {
  const values = [args.timeZone, ...endValues(args.from), ...endValues(args.to)];
  const [period] = await runStatement<{ from: Date; to: Date }>(db.pool, 'usage_period', periodSql, values);
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
SELECT coalesce(${endSql('$2', '$3')}, date_trunc('month', p."to" - interval '1 millisecond', $1)) AS "from", p."to"
FROM (SELECT coalesce(${endSql('$4', '$5')}, now()) AS "to") p`;
