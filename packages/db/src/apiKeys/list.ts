import type { Database } from '../client.ts';
import { type ApiKeyRow, withScopes } from './row.ts';

/**
 * The keys of an organization and of its test organization, newest first, revoked ones too; those older than `cursor`
 * (the id of a key) if given.
 */
export async function listApiKeys(
  db: Database,
  args: { organizationId: string; limit: number; cursor?: string | undefined },
): Promise<ApiKeyRow[]> {
  const owners = await ownersOf(db, args.organizationId);
  const rows = await db.prisma.apiKey.findMany({
    where: { organizationId: { in: [...owners.keys()] }, ...(args.cursor && { id: { lt: args.cursor } }) },
    orderBy: { id: 'desc' },
    take: args.limit,
  });
  return rows.map((row) => toRow(row, owners));
}

/** One key of an organization or of its test organization, revoked or not; null when it has none of that id. */
export async function getApiKey(db: Database, organizationId: string, id: string): Promise<ApiKeyRow | null> {
  const owners = await ownersOf(db, organizationId);
  const row = await db.prisma.apiKey.findFirst({ where: { id, organizationId: { in: [...owners.keys()] } } });
  return row && toRow(row, owners);
}

/** The organization and its test organization, by id; true: for tests. */
async function ownersOf(db: Database, id: string): Promise<Map<string, boolean>> {
  const select = { id: true, testOf: true };
  const rows = await db.prisma.organization.findMany({ where: { OR: [{ id }, { testOf: id }] }, select });
  return new Map(rows.map((row) => [row.id, row.testOf !== null]));
}

function toRow<Row extends { organizationId: string; permissions: string; scopes: string[] }>(
  { organizationId, ...row }: Row,
  owners: Map<string, boolean>,
) {
  return { ...withScopes(row), isTest: owners.get(organizationId) ?? false };
}
