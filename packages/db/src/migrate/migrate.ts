import pg from 'pg';
import type { Database, Queryable } from '../client.ts';
import { withLock } from '../databases.ts';
import { noFilters, withSchemaEngine } from './engine.ts';
import { migrationsFolder, readMigrations } from './files.ts';

// Marks migrations that were begun and not finished as rolled back, which they are (`migrationAdapter.ts`): the
// engine would refuse to go on before somebody does. The caller holds the lock of the migrations.
async function forgetUnfinished(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'holdfast-migrate' });
  await client.connect();
  try {
    const { rows } = await client.query(`SELECT WHERE to_regclass('_prisma_migrations') IS NOT NULL`);
    if (rows.length > 0) await client.query(forgetUnfinishedSql);
  } finally {
    await client.end();
  }
}

const forgetUnfinishedSql = `UPDATE _prisma_migrations SET rolled_back_at = now()
  WHERE finished_at IS NULL AND rolled_back_at IS NULL`;

/** All versions of Holdfast must use the same number. */
const migrationLock = 4_652_115_920;

/**
 * Applies the migrations that the database does not have yet and returns their names, oldest first.
 * Any number of processes may call it at once: one works, the others wait for it and find nothing to do.
 * Rejects with the engine's message when a migration fails. Of that one, as of one in which the process died, nothing
 * is left, and the next call tries it again.
 */
export async function migrate(databaseUrl: string, folder: string = migrationsFolder): Promise<string[]> {
  const migrationsList = await readMigrations(folder);
  return withLock(databaseUrl, migrationLock, () =>
    withSchemaEngine(databaseUrl, async (engine) => {
      await forgetUnfinished(databaseUrl);
      const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters: noFilters });
      return appliedMigrationNames;
    }),
  );
}

export type AppliedMigration = { name: string; checksum: string };

export async function readAppliedMigrations(db: Queryable): Promise<AppliedMigration[]> {
  return (await db.query<AppliedMigration>(applied)).rows;
}

const applied = `SELECT migration_name AS name, checksum FROM _prisma_migrations
  WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY migration_name`;

export type MigrationState = {
  applied: number;
  missing: string[];
  /** In the database, unknown to this version: a newer one has migrated it. */
  unknown: string[];
};

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
