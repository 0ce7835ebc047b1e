import type { Database } from '../client.ts';

/** The oldest organization of that name. */
export async function findOrganizationByName(db: Database, name: string): Promise<{ id: string } | null> {
  return await db.prisma.organization.findFirst({
    where: { name },
    orderBy: { createdAt: 'asc' },
    select: { id: true },
  });
}
