import type { ApiKeyPermissions } from '@holdfast/domain/apiKey';
import type { Database } from '../client.ts';
import type { ApiKeyRow } from './row.ts';

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
  return rows.map((row) => ({ ...row, permissions: row.permissions as ApiKeyPermissions }));
}
