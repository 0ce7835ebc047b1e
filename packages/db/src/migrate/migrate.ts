import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { backoff, retry } from '@holdfast/kit/retry';
import type pg from 'pg';
import type { Database, Queryable } from '../client.ts';
import { withLock } from '../databases.ts';
import { isLockTimeout } from '../faults.ts';
import { openSession } from '../session.ts';
import { adopt } from './adoption.ts';

export const prismaFolder = resolve(import.meta.dirname, '../../../../prisma');
export const migrationsFolder: string = join(prismaFolder, 'migrations');

export type Migration = { name: string; sql: string; checksum: string };

export async function readMigrations(folder: string = migrationsFolder): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return await Promise.all(
    names.toSorted().map(async (name) => {
      const sql = await readFile(join(folder, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/** All versions of Holdfast must use the same number. */
const migrationLock = 4_652_115_920;

/**
 * Returns the applied names, oldest first. Concurrent calls wait and find nothing to do. Each migration is one
 * transaction, so one that fails, or whose process dies, leaves nothing and is tried again (one that is repeated leaves
 * the parts that it has finished, and continues).
 */
export async function migrate(databaseUrl: string, folder: string = migrationsFolder): Promise<string[]> {
  const migrations = await readMigrations(folder);
  return await withLock(databaseUrl, migrationLock, async () => {
    const client = await openSession(databaseUrl, { application_name: 'holdfast-migrate' });
    try {
      await prepareRecord(client);
      const applied = new Set(await adopt(client, await readAppliedMigrations(client), migrations));
      const missing = migrations.filter(({ name }) => !applied.has(name));
      for (const migration of missing) await apply(client, migration);
      return missing.map(({ name }) => name);
    } finally {
      await client.end();
    }
  });
}

/** The table that `prisma migrate` uses. An unfinished migration is tried again, so it is marked as rolled back. */
async function prepareRecord(client: pg.Client): Promise<void> {
  if (!(await hasRecord(client))) {
    const { rows } = await client.query('SELECT FROM pg_tables WHERE schemaname = current_schema() LIMIT 1');
    if (rows.length > 0)
      throw new Error('The database has tables but no migrations: it is not a Holdfast one.');
    await client.query(createRecord);
  }
  await client.query(
    'UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL',
  );
}

const createRecord = `CREATE TABLE _prisma_migrations (
  id varchar(36) PRIMARY KEY, checksum varchar(64) NOT NULL, finished_at timestamptz,
  migration_name varchar(255) NOT NULL, logs text, rolled_back_at timestamptz,
  started_at timestamptz NOT NULL DEFAULT now(), applied_steps_count integer NOT NULL DEFAULT 0)`;

async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  const id = randomUUID();
  await client.query('INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3)', [
    id,
    checksum,
    name,
  ]);
  try {
    do await retryWhileLocked(() => client.query(`${shortLockTimeout}\n${sql}\n;${finish(id)}`));
    while (await isToBeRepeated(client, id));
  } catch (error) {
    const { message } = error as Error;
    await client
      .query('UPDATE _prisma_migrations SET logs = $2 WHERE id = $1', [id, message])
      .catch(() => {});
    throw new Error(`Migration ${name} failed: ${message}`, { cause: error });
  }
}

// Part of the migration's transaction, so that a crash cannot separate them. If another process has taken this one for
// dead and marked it as rolled back, the migration undoes itself.
const finish = (id: string) => `DO $$ BEGIN
  UPDATE _prisma_migrations SET applied_steps_count = 1,
    finished_at = CASE WHEN current_setting('holdfast.repeat_migration', true) = 'true' THEN NULL ELSE clock_timestamp() END
  WHERE id = '${id}' AND rolled_back_at IS NULL;
  IF NOT FOUND THEN RAISE 'the migration is being applied by another process'; END IF;
END $$`;

/** A migration that sets `holdfast.repeat_migration` is run again, in a transaction of its own: a month at a time. */
async function isToBeRepeated(client: pg.Client, id: string): Promise<boolean> {
  const { rows } = await client.query(
    'SELECT FROM _prisma_migrations WHERE id = $1 AND finished_at IS NULL',
    [id],
  );
  return rows.length > 0;
}

/** While a migration waits for a table that a backup or an audit reads, every request for that table waits behind it. */
const shortLockTimeout = "SET LOCAL lock_timeout = '1s';";

const lockRetryMs = 2000;
const maxLockedMs = 600_000;

/** Retries a migration until it gets its locks. @throws when that takes too long */
export async function retryWhileLocked<Result>(
  work: () => Promise<Result>,
  forMs = maxLockedMs,
): Promise<Result> {
  return await retry(work, {
    delaysMs: backoff(lockRetryMs, lockRetryMs),
    forMs,
    isRetryable: isLockTimeout,
  }).catch((error: unknown) => {
    throw isLockTimeout(error) ? stillLocked(error, forMs) : error;
  });
}

function stillLocked(error: unknown, afterMs: number): unknown {
  const reason = `tables were in use for ${afterMs / 60_000} min, perhaps by a backup; try again when it has ended`;
  return Object.assign(Object(error), { message: `${Object(error).message}: ${reason}` });
}

async function hasRecord(db: Queryable): Promise<boolean> {
  const { rows } = await db.query(`SELECT WHERE to_regclass('_prisma_migrations') IS NOT NULL`);
  return rows.length > 0;
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
  const known = (await readMigrations(folder)).map(({ name }) => name);
  const applied = (await hasRecord(db.pool)) ? await readAppliedMigrations(db.pool) : [];
  const names = applied.map(({ name }) => name);
  return {
    applied: names.length,
    missing: known.filter((name) => !names.includes(name)),
    unknown: names.filter((name) => !known.includes(name)),
  };
}
