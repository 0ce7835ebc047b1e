import type { Database } from '../client.ts';
import { type ApiKeyRow, withScopes } from './row.ts';

/** The keys of an organization, newest first, revoked ones too; those older than `cursor` (the id of a key) if given. */
export async function listApiKeys(
  db: Database,
  args: { organizationId: string; limit: number; cursor?: string | undefined },
): Promise<ApiKeyRow[]> {
  const rows = await db.prisma.apiKey.findMany({
    where: { organizationId: args.organizationId, ...(args.cursor && { id: { lt: args.cursor } }) },
    orderBy: { id: 'desc' },
    take: args.limit,
    omit: { organizationId: true },
  });
  return rows.map(withScopes);
}

/** One key of an organization, revoked or not; null when it has none of that id. */
export async function getApiKey(db: Database, organizationId: string, id: string): Promise<ApiKeyRow | null> {
  const row = await db.prisma.apiKey.findFirst({
    where: { id, organizationId },
    omit: { organizationId: true },
  });
  return row && withScopes(row);
}
