import { type Money, MoneyDecimal } from '@holdfast/domain/money';
import type { Database } from './client.ts';
import { runStatement } from './statement.ts';

export const moneyGroupings = ['model', 'provider', 'organization', 'time'] as const;
export type MoneyGrouping = (typeof moneyGroupings)[number];

export type MoneyRow = {
  /** A model, a connection, an organization's id, or the start of an hour or day. Null: runs whose cost is not known. */
  group: string | null;
  /** Executions that completed, and what clients paid for them. */
  executions: number;
  revenue: Money;
  /** The part of `revenue` whose runs have a known cost at their provider, and that cost. */
  knownRevenue: Money;
  cost: Money;
  /** Runs that cost something and that no client paid for. */
  lostRuns: number;
  lost: Money;
};

/** A period of whole hours, or of whole days (UTC). */
export type MoneyPeriod = { unit: 'hour' | 'day'; from: Date; to: Date };

export type MoneyFilter = Partial<Record<'organizationId' | 'model' | 'provider', string>>;

type Asked = { period: MoneyPeriod; groupBy: MoneyGrouping; filter: MoneyFilter };

/** What executions that completed in a period brought in and cost; runs of test keys are left out. In order of revenue, or of time. */
export async function readMoney(db: Database, asked: Asked): Promise<MoneyRow[]> {
  const [completed, known] = await Promise.all([readCompleted(db, asked), readKnown(db, asked)]);
  const { groupBy } = asked;
  const rows = groupBy === 'provider' ? withUnknown(known, completed[0]) : merged(known, completed);
  const byRevenue = (a: MoneyRow, b: MoneyRow) => new MoneyDecimal(b.revenue).cmp(a.revenue);
  const byTime = (a: MoneyRow, b: MoneyRow) => (String(a.group) < String(b.group) ? -1 : 1);
  return rows.toSorted(groupBy === 'time' ? byTime : byRevenue);
}

type Completed = Pick<MoneyRow, 'group' | 'executions' | 'revenue'>;

/** As text: sums exceed JavaScript numbers. */
type Counted<Row> = { [Key in keyof Row]: Row[Key] extends number ? string : Row[Key] };

/** Without a provider: usage does not know it. With one, what is known of it is all there is. */
async function readCompleted(db: Database, { period, groupBy, filter }: Asked): Promise<Completed[]> {
  if (filter.provider !== undefined) return [];
  const { unit, from, to } = period;
  const values = [from, to, filter.organizationId ?? null, filter.model ?? null];
  const name = `read_money_${unit}_${groupBy}`;
  const rows = await runStatement<Counted<Completed>>(db.pool, name, completedSql(unit, groupBy), values);
  return rows.map((row) => ({ ...row, executions: Number(row.executions) }));
}

async function readKnown(db: Database, { period, groupBy, filter }: Asked): Promise<MoneyRow[]> {
  const { unit, from, to } = period;
  const given = [filter.organizationId, filter.model, filter.provider].map((one) => one ?? null);
  const rows = await runStatement<Counted<MoneyRow>>(
    db.pool,
    `read_known_money_${groupBy}`,
    knownSql(groupBy),
    [unit, from, to, ...given],
  );
  return rows.map((row) => ({
    ...row,
    executions: Number(row.executions),
    lostRuns: Number(row.lostRuns),
    knownRevenue: row.revenue,
  }));
}

const nothing = { executions: 0, revenue: '0', knownRevenue: '0', cost: '0', lostRuns: 0, lost: '0' };

function merged(known: MoneyRow[], completed: Completed[]): MoneyRow[] {
  const rows = new Map(known.map((row) => [row.group, row]));
  for (const row of completed) rows.set(row.group, { ...nothing, ...rows.get(row.group), ...row });
  return [...rows.values()];
}

/** What completed and is of no known provider is a row of its own. */
function withUnknown(known: MoneyRow[], all: Completed | undefined): MoneyRow[] {
  if (all === undefined) return known;
  const executions = known.reduce((left, row) => left - row.executions, all.executions);
  const revenue = known.reduce((left, row) => left.minus(row.revenue), new MoneyDecimal(all.revenue));
  if (executions <= 0) return known;
  return [...known, { ...nothing, group: null, executions, revenue: revenue.toFixed() }];
}

const timeSql = `to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

const utcDate = (time: string) => `(${time}::timestamptz AT TIME ZONE 'UTC')::date`;

/** What completed at the organization `o` from $1 until before $2. Days have no sums yet after its last settlements: their hours are read. */
export const completedPartsSql: Record<MoneyPeriod['unit'], string> = {
  hour: `
    SELECT hour AS at, model, executions, cost FROM usage_hours
    WHERE organization_id = o.id AND hour >= $1 AND hour < $2`,
  day: `
    SELECT day::timestamp AT TIME ZONE 'UTC' AS at, model, executions, cost FROM usage_days
    WHERE organization_id = o.id AND day >= ${utcDate('$1')} AND day < ${utcDate('$2')}
    UNION ALL
    SELECT date_trunc('day', hour, 'UTC'), model, executions, cost FROM usage_hours
    WHERE organization_id = o.id AND hour < $2 AND hour >= greatest($1, (
      SELECT coalesce((max(day) + 1)::timestamp AT TIME ZONE 'UTC', '-infinity') FROM usage_days
      WHERE organization_id = o.id))`,
};

const completedGroup = { model: 'u.model', provider: 'NULL', organization: 'o.id', time: timeSql };

const completedSql = (unit: MoneyPeriod['unit'], groupBy: MoneyGrouping) => `
SELECT ${completedGroup[groupBy]} AS "group", sum(u.executions)::text AS executions, sum(u.cost)::text AS revenue
FROM organizations o CROSS JOIN LATERAL (${completedPartsSql[unit]}
) u
WHERE o.test_of IS NULL AND ($3::text IS NULL OR o.id = $3) AND ($4::text IS NULL OR u.model = $4)
GROUP BY 1 HAVING sum(u.executions) > 0`;

const knownGroup = {
  model: 's.model',
  provider: 's.provider',
  organization: 's.organization_id',
  time: timeSql.replace('at ', 's.starts_at '),
};

const knownSql = (groupBy: MoneyGrouping) => `
SELECT ${knownGroup[groupBy]} AS "group", sum(s.runs)::text AS executions, sum(s.revenue)::text AS revenue,
  sum(s.cost)::text AS cost, sum(s.lost_runs)::text AS "lostRuns", sum(s.lost)::text AS lost
FROM provider_sums s JOIN organizations o ON o.id = s.organization_id AND o.test_of IS NULL
WHERE s.unit = $1 AND s.starts_at >= $2 AND s.starts_at < $3 AND ($4::text IS NULL OR s.organization_id = $4)
  AND ($5::text IS NULL OR s.model = $5) AND ($6::text IS NULL OR s.provider = $6)
GROUP BY 1`;
