import { withLock } from '../lock.ts';
import { forgetUnfinished } from './forgetUnfinished.ts';
import { migrationsFolder, readMigrations } from './migrationFiles.ts';
import { noFilters, withSchemaEngine } from './schemaEngine.ts';

/** Any number will do, as long as every version of Holdfast takes the same. */
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
