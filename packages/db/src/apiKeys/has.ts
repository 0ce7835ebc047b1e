import type { Database } from '../client.ts';

/** Whether a key of this id was ever made; a revoked one counts. */
export async function hasApiKey(db: Database, id: string): Promise<boolean> {
  return (await db.prisma.apiKey.count({ where: { id } })) > 0;
}
