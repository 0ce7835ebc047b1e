import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { AppliedMigration, Migration } from './migrate.ts';

const init = '20261128080000_init';
/** `init` makes the schema that the migrations of before 0.3.0 led to; this is the last of them. */
const lastReplaced = '20261128074117_review_decisions';

/**
 * Replaces the records of the migrations before 0.3.0 by one of `init`, and touches nothing else. Returns the names that
 * are applied then. @throws in one line when the database has not had all of them
 */
export async function adopt(
  client: pg.Client,
  applied: AppliedMigration[],
  migrations: Migration[],
): Promise<string[]> {
  const names = applied.map(({ name }) => name);
  const replacement = migrations.find(({ name }) => name === init);
  if (!replacement || names.every((name) => name >= init)) return names;
  if (!names.includes(lastReplaced)) {
    throw new Error(
      'The database is older than v0.2.0: run the setup of the tag v0.2.0 first, then this one.',
    );
  }
  await client.query(replaceSql, [init, randomUUID(), replacement.checksum]);
  return [init];
}

const replaceSql = `
WITH replaced AS (DELETE FROM _prisma_migrations WHERE migration_name < $1)
INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
VALUES ($2, $3, $1, clock_timestamp(), 1)`;
