import type { Database } from '../client.ts';
import { readAppliedMigrations } from './appliedMigrations.ts';
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
  const applied = table.length > 0 ? await readAppliedMigrations(db.pool) : [];
  const names = applied.map(({ name }) => name);
  return {
    applied: names.length,
    missing: known.filter((name) => !names.includes(name)),
    unknown: names.filter((name) => !known.includes(name)),
  };
}
