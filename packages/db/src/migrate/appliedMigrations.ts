import type { Queryable } from '../client.ts';

/** A migration that a database has, with the digest of its text. */
export type AppliedMigration = { name: string; checksum: string };

/** In the order of their names, which is that of their times. */
export async function readAppliedMigrations(db: Queryable): Promise<AppliedMigration[]> {
  return (await db.query<AppliedMigration>(applied)).rows;
}

const applied = `SELECT migration_name AS name, checksum FROM _prisma_migrations
  WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY migration_name`;
