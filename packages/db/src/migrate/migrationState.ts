import type { Database } from '../client.ts';
import { migrationsFolder, readMigrations } from './migrationFiles.ts';

export type MigrationState = {
  applied: number;
  /** Those of this version that the database does not have, oldest first. */
  missing: string[];
  /** Those that the database has and this version does not know: a newer one has been here. */
  unknown: string[];
};

/** Which migrations a database has; nothing is changed. */
export async function readMigrationState(
  db: Database,
  folder: string = migrationsFolder,
): Promise<MigrationState> {
  const known = (await readMigrations(folder)).migrationDirectories.map(({ path }) => path);
  const { rows: table } = await db.pool.query(`SELECT WHERE to_regclass('_prisma_migrations') IS NOT NULL`);
  const { rows } = table.length > 0 ? await db.pool.query<{ name: string }>(applied) : { rows: [] };
  const names = rows.map(({ name }) => name);
  return {
    applied: names.length,
    missing: known.filter((name) => !names.includes(name)),
    unknown: names.filter((name) => !known.includes(name)),
  };
}

const applied = `SELECT migration_name AS name FROM _prisma_migrations
  WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY migration_name`;
