import type { Money } from '@holdfast/domain/money';
import type { Database } from './client.ts';
import { firstIdSince } from './firstId.ts';
import { runStatement } from './statement.ts';

export const usageGroupings = ['model', 'day'] as const;
export type UsageGrouping = (typeof usageGroupings)[number];

export type Usage = {
  /** A model's slug, or a day in UTC as `YYYY-MM-DD`. */
  group: string;
  executions: number;
  cost: Money;
  /** What they cost beyond that. */
  writtenOff: Money;
  inputTokens: number;
  outputTokens: number;
};

/**
 * An execution lives a day at most, but a result that came in time is settled whenever the ledger is there again: so
 * long before it completed an execution can have been made.
 */
const longestMs = 7 * 86_400_000;

/** What the executions of an organization that completed in [from, to) used and cost, by group, in order of it. */
export async function sumUsage(
  db: Database,
  args: { organizationId: string; from: Date; to: Date; groupBy: UsageGrouping },
): Promise<Usage[]> {
  const { organizationId, from, to, groupBy } = args;
  const since = new Date(from.getTime() - longestMs);
  const values = [organizationId, from, to, since, firstIdSince('exec', since.getTime())];
  const rows = await runStatement<UsageRow>(db.pool, `sum_usage_${groupBy}`, statements[groupBy], values);
  return rows.map((row) => ({
    ...row,
    executions: Number(row.executions),
    inputTokens: Number(row.inputTokens),
    outputTokens: Number(row.outputTokens),
  }));
}

/** Sums are wider than a number of the driver, so they come as text. */
type UsageRow = Record<keyof Usage, string>;

// By the index over organization and time of creation; the id tells which months to open.
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
  day: statementBy(`to_char(e.completed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')`),
};
