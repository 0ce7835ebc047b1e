import type { Database } from '../client.ts';

/** Whether a key, revoked or not, is the organization's. */
export async function isKeyOf(db: Database, organizationId: string, id: string): Promise<boolean> {
  const key = await db.prisma.apiKey.findFirst({ where: { id, organizationId }, select: { id: true } });
  return key !== null;
}
