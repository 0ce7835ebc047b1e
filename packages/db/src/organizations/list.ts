import type { Database } from '../client.ts';
import type { OrganizationRow } from './create.ts';

const select = { id: true, name: true, createdAt: true, maxConcurrency: true, testOf: true };

/** Newest first, without test organizations unless they are wanted; those older than `cursor` (the id of an organization) if given. */
export async function listOrganizations(
  db: Database,
  args: { limit: number; cursor?: string | undefined; withTest?: boolean },
): Promise<OrganizationRow[]> {
  return await db.prisma.organization.findMany({
    where: { ...(args.cursor && { id: { lt: args.cursor } }), ...(!args.withTest && { testOf: null }) },
    orderBy: { id: 'desc' },
    take: args.limit,
    select,
  });
}

export async function getOrganization(db: Database, id: string): Promise<OrganizationRow | null> {
  return await db.prisma.organization.findUnique({ where: { id }, select });
}
