import type { OveragePolicies } from '@holdfast/domain/ledger';
import type { Database } from './client.ts';
import { literally, runStatement } from './statement.ts';

export type OrganizationRow = {
  id: string;
  name: string;
  createdAt: Date;
  maxConcurrency: number | null;
  testOf: string | null;
};

const organizationColumns =
  'id, name, created_at AS "createdAt", max_concurrency AS "maxConcurrency", test_of AS "testOf"';

export async function createOrganization(
  db: Database,
  organization: { id: string; name: string; sealedSecret: string },
): Promise<OrganizationRow> {
  const { id, name, sealedSecret } = organization;
  const [row] = await runStatement<OrganizationRow>(db.pool, 'create_organization', createOrganizationSql, [
    id,
    name,
    sealedSecret,
  ]);
  if (!row) throw new Error('an organization was not stored');
  return row;
}

const createOrganizationSql = `
WITH balance AS (INSERT INTO balances (organization_id) VALUES ($1))
INSERT INTO organizations (id, name, webhook_secret) VALUES ($1, $2, $3) RETURNING ${organizationColumns}`;

export async function concurrencyLimits(db: Database): Promise<Map<string, number>> {
  type Row = { id: string; max_concurrency: number };
  const rows = await runStatement<Row>(db.pool, 'concurrency_limits', concurrencyLimitsSql, []);
  return new Map(rows.map((row) => [row.id, row.max_concurrency]));
}

const concurrencyLimitsSql = `SELECT id, max_concurrency FROM organizations WHERE max_concurrency IS NOT NULL`;

export async function findOrganizationByName(db: Database, name: string): Promise<{ id: string } | null> {
  const [row] = await runStatement<{ id: string }>(db.pool, 'find_organization_by_name', findByNameSql, [
    name,
  ]);
  return row ?? null;
}

const findByNameSql = 'SELECT id FROM organizations WHERE name = $1 ORDER BY created_at LIMIT 1';

export async function isTestOrganization(db: Database, id: string): Promise<boolean> {
  const rows = await runStatement(db.pool, 'is_test_organization', isTestOrganizationSql, [id]);
  return rows.length > 0;
}

const isTestOrganizationSql = `SELECT id FROM organizations WHERE id = $1 AND test_of IS NOT NULL`;

const select = { id: true, name: true, createdAt: true, maxConcurrency: true, testOf: true };

/** Newest first; `cursor`: only those older than this id. Test organizations with `includeTest`, or when `ids` names them. */
export async function listOrganizations(
  db: Database,
  args: {
    limit: number;
    cursor?: string | undefined;
    includeTest?: boolean;
    ids?: string[] | undefined;
    text?: string | undefined;
  },
): Promise<OrganizationRow[]> {
  const { limit, cursor, includeTest = false, ids, text } = args;
  return await db.prisma.organization.findMany({
    where: {
      ...(cursor && { id: { lt: cursor } }),
      ...(!includeTest && !ids && { testOf: null }),
      ...(ids && { AND: { id: { in: ids } } }),
      ...(text && { name: { contains: literally(text), mode: 'insensitive' } }),
    },
    orderBy: { id: 'desc' },
    take: limit,
    select,
  });
}

export async function getOrganization(db: Database, id: string): Promise<OrganizationRow | null> {
  const [row] = await runStatement<OrganizationRow>(db.pool, 'get_organization', getOrganizationSql, [id]);
  return row ?? null;
}

const getOrganizationSql = `SELECT ${organizationColumns} FROM organizations WHERE id = $1`;

/** Undefined fields stay. Null when the organization is missing. */
export async function updateOrganization(
  db: Database,
  id: string,
  change: {
    name?: string | undefined;
    maxConcurrency?: number | null | undefined;
    overage?: OveragePolicies['overage'] | null | undefined;
    spendLimitOverage?: OveragePolicies['spendLimitOverage'] | null | undefined;
  },
): Promise<OrganizationRow | null> {
  const { name, maxConcurrency, overage, spendLimitOverage } = change;
  const given = (value: unknown) => [value !== undefined, value ?? null];
  const values = [id, name ?? null, ...[maxConcurrency, overage, spendLimitOverage].flatMap(given)];
  const [row] = await runStatement<OrganizationRow>(
    db.pool,
    'update_organization',
    updateOrganizationSql,
    values,
  );
  return row ?? null;
}

const updateOrganizationSql = `
WITH policies AS (
  UPDATE balances SET overage = CASE WHEN $5::boolean THEN $6 ELSE overage END,
    spend_limit_overage = CASE WHEN $7::boolean THEN $8 ELSE spend_limit_overage END
  WHERE organization_id = $1 AND ($5 OR $7)
)
UPDATE organizations SET name = coalesce($2, name),
  max_concurrency = CASE WHEN $3::boolean THEN $4::int ELSE max_concurrency END
WHERE id = $1 RETURNING ${organizationColumns}`;

/** The test organization of `of`, created if missing; `of` itself when it is one. Null when `of` is missing. */
export async function testOrganization(
  db: Database,
  args: { of: string; id: string; sealedSecret: string },
): Promise<string | null> {
  const known = await findTestOrganization(db, args.of);
  if (known !== null) return known;
  await runStatement(db.pool, 'make_test_organization', makeTestOrganizationSql, [
    args.id,
    args.of,
    args.sealedSecret,
  ]);
  return await findTestOrganization(db, args.of);
}

async function findTestOrganization(db: Database, of: string): Promise<string | null> {
  const [row] = await runStatement<{ id: string }>(
    db.pool,
    'find_test_organization',
    findTestOrganizationSql,
    [of],
  );
  return row?.id ?? null;
}

const makeTestOrganizationSql = `
WITH made AS (
  INSERT INTO organizations (id, name, webhook_secret, test_of)
  SELECT $1, left(name, 190) || ' (test)', $3, id FROM organizations WHERE id = $2
  ON CONFLICT (test_of) DO NOTHING RETURNING id
)
INSERT INTO balances (organization_id) SELECT id FROM made`;

const findTestOrganizationSql = `SELECT id FROM organizations WHERE test_of = $1 OR (id = $1 AND test_of IS NOT NULL)`;

export type OverageOfOrganization = {
  own: { [Policy in keyof OveragePolicies]: OveragePolicies[Policy] | null };
  inForce: OveragePolicies;
};

export async function getOverage(
  db: Database,
  organizationIds: string[],
): Promise<Map<string, OverageOfOrganization>> {
  if (organizationIds.length === 0) return new Map();
  type Row = OverageOfOrganization & { organizationId: string };
  const rows = await runStatement<Row>(db.pool, 'get_overage', ofOrganizations, [organizationIds]);
  return new Map(rows.map(({ organizationId, ...overage }) => [organizationId, overage]));
}

const ofOrganizations = `
SELECT b.organization_id AS "organizationId",
  json_build_object('overage', b.overage, 'spendLimitOverage', b.spend_limit_overage) AS own,
  json_build_object('overage', coalesce(b.overage, s.overage, 'charge'),
    'spendLimitOverage', coalesce(b.spend_limit_overage, s.spend_limit_overage, 'charge')) AS "inForce"
FROM balances b LEFT JOIN ledger_settings s ON s.id = 1 WHERE b.organization_id = ANY ($1::text[])`;

/** Sets and returns the platform's policies; undefined fields stay. For the owner of the tables. */
export async function setPlatformOverage(
  db: Database,
  change: { [Policy in keyof OveragePolicies]: OveragePolicies[Policy] | undefined },
): Promise<OveragePolicies> {
  const values = [change.overage ?? null, change.spendLimitOverage ?? null];
  const [row] = await runStatement<OveragePolicies>(db.pool, 'set_platform_overage', ofPlatform, values);
  if (!row) throw new Error('the table ledger_settings has no row');
  return row;
}

const ofPlatform = `
UPDATE ledger_settings SET overage = coalesce($1, overage), spend_limit_overage = coalesce($2, spend_limit_overage)
WHERE id = 1 RETURNING overage, spend_limit_overage AS "spendLimitOverage"`;
