import type { ClientBase } from 'pg';

/** A migration that a database has, with the digest of its text. */
export type AppliedMigration = { name: string; checksum: string };

export async function readAppliedMigrations(client: ClientBase): Promise<AppliedMigration[]> {
  return (await client.query<AppliedMigration>(applied)).rows;
}

const applied = `SELECT migration_name AS name, checksum FROM _prisma_migrations
  WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY migration_name`;
