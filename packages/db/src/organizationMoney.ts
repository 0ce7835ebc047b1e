import type { Money } from '@holdfast/domain/money';
import type { Database } from './client.ts';
import { completedPartsSql } from './money.ts';
import { listOrganizations, type OrganizationRow } from './organizations.ts';
import { literally, runStatement } from './statement.ts';

/** `balance`: the lowest first; `spend`: the highest of the last 30 days first. */
export const organizationSorts = ['newest', 'name', 'balance', 'spend'] as const;
export type OrganizationSort = (typeof organizationSorts)[number];

/** The days (UTC) until today of which money is shown. */
export const shownDays = 30;

export type OrganizationMoney = {
  available: Money;
  held: Money;
  /** What completed executions of the last `shownDays` days cost. */
  spend: Money;
  /** The spend by day, such as `2026-11-28`; days without any are missing. */
  days: Record<string, Money>;
  /** Whether less is available than the last 7 days cost. */
  runsLow: boolean;
};

/** What each organization has and spends, by its id. */
export async function readOrganizationMoney(
  db: Database,
  ids: readonly string[],
): Promise<Map<string, OrganizationMoney>> {
  type Row = OrganizationMoney & { id: string };
  const rows = await runStatement<Row>(db.pool, 'read_organization_money', moneySql, [...period(), ids]);
  return new Map(rows.map(({ id, ...money }) => [id, money]));
}

const dayMs = 86_400_000;

function period(): [from: Date, to: Date] {
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  return [new Date(today - (shownDays - 1) * dayMs), new Date(today + dayMs)];
}

const weekSql = (at: string, cost: string) =>
  `coalesce(sum(${cost}) FILTER (WHERE ${at} >= $2::timestamptz - interval '7 days'), 0)`;

const moneySql = `
SELECT o.id, b.available::text, b.held::text, coalesce(s.spend, 0)::text AS spend, coalesce(s.days, '{}') AS days,
  b.available < coalesce(s.week, 0) AS "runsLow"
FROM organizations o JOIN balances b ON b.organization_id = o.id LEFT JOIN LATERAL (
  SELECT sum(d.cost) AS spend, ${weekSql('d.at', 'd.cost')} AS week,
    json_object_agg(to_char(d.at AT TIME ZONE 'UTC', 'YYYY-MM-DD'), d.cost::text) AS days
  FROM (SELECT date_trunc('day', u.at, 'UTC') AS at, sum(u.cost) AS cost FROM (${completedPartsSql.day}
  ) u GROUP BY 1) d
) s ON true
WHERE o.id = ANY($3::text[])`;

/** The organizations that match, in an order. The page after `cursor` begins where that organization stands now. */
export async function rankOrganizations(
  db: Database,
  asked: {
    sort: OrganizationSort;
    runsLow: boolean;
    limit: number;
    cursor?: string | undefined;
    includeTest: boolean;
    ids?: string[] | undefined;
    text?: string | undefined;
  },
): Promise<OrganizationRow[]> {
  const { sort, runsLow, limit, cursor, includeTest, ids, text } = asked;
  const ranked = await runStatement<{ id: string }>(db.pool, `rank_organizations_by_${sort}`, rankSql(sort), [
    ...period(),
    includeTest || ids !== undefined,
    ids ?? null,
    text === undefined ? null : `%${literally(text)}%`,
    runsLow,
    cursor ?? null,
    limit,
  ]);
  const order = ranked.map(({ id }) => id);
  const rows = await listOrganizations(db, { limit, ids: order });
  return rows.toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
}

const rankValue: Record<OrganizationSort, string> = {
  newest: '-extract(epoch FROM o.created_at)',
  name: 'lower(o.name)',
  balance: 'b.available',
  spend: '-coalesce(s.spend, 0)',
};

const rankSql = (sort: OrganizationSort) => `
WITH ranked AS MATERIALIZED (
  SELECT o.id, ${rankValue[sort]} AS value, b.available < coalesce(s.week, 0) AS runs_low
  FROM organizations o JOIN balances b ON b.organization_id = o.id LEFT JOIN LATERAL (
    SELECT sum(u.cost) AS spend, ${weekSql('u.at', 'u.cost')} AS week FROM (${completedPartsSql.day}
    ) u WHERE ${sort === 'spend' ? 'true' : '$6'}
  ) s ON true
  WHERE ($3 OR o.test_of IS NULL) AND ($4::text[] IS NULL OR o.id = ANY($4)) AND ($5::text IS NULL OR o.name ILIKE $5)
)
SELECT id FROM ranked
WHERE (runs_low OR NOT $6) AND ($7::text IS NULL OR (value, id) > (SELECT value, id FROM ranked WHERE id = $7))
ORDER BY value, id LIMIT $8`;
