import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createBareDatabase, openTestPool } from '@holdfast/testkit/testDatabase';
import { testFolder } from '@holdfast/testkit/testFolder';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { fillWorkload } from '../testing/workload.ts';
import { migrate, migrationsFolder, readAppliedMigrations, readMigrations } from './migrate.ts';

let database: { url: string; drop: () => Promise<void> };
let pool: pg.Pool;
/** Has `init` alone. */
let folder: string;

beforeEach(async () => {
  database = await createBareDatabase();
  pool = openTestPool(database.url);
  folder = testFolder('migrations');
  const [init] = await readMigrations();
  await cp(join(migrationsFolder, init?.name ?? ''), join(folder, init?.name ?? ''), { recursive: true });
  await migrate(database.url, folder);
  await fillWorkload(database.url, 100);
  await fillWorkload(database.url, 20, true);
});

afterEach(async () => {
  await pool.end();
  await database.drop();
});

/** `init` makes the schema of v0.2.0, so only the records differ. */
async function recordAsBefore(...names: string[]): Promise<void> {
  await pool.query('DELETE FROM _prisma_migrations');
  await pool.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
     SELECT name, 'c', name, now(), 1 FROM unnest($1::text[]) AS name`,
    [names],
  );
  await pool.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, logs, rolled_back_at)
     VALUES ('failed', 'c', '20261121050000_ledger_audits', 'out of disk', now())`,
  );
}

/** Every row of every table as text, with the columns and what else belongs to the schema. */
async function contents(): Promise<Record<string, string[]>> {
  const read = async (sql: string) =>
    (await pool.query<{ row: string }>(`SELECT t::text AS row FROM (${sql}) t ORDER BY 1`)).rows.map(
      ({ row }) => row,
    );
  const rows: Record<string, string[]> = {};
  const tables = await read(`SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace
    AND relkind IN ('r', 'p') AND NOT relispartition AND relname NOT LIKE '\\_prisma%'`);
  for (const table of tables.map((row) => row.slice(1, -1))) {
    rows[table] = await read(`SELECT ctid, * FROM ${table}`);
  }
  const schema =
    await read(`SELECT oid, relname, relfilenode FROM pg_class WHERE relnamespace = 'public'::regnamespace
    AND relname NOT LIKE '\\_prisma%'`);
  return { ...rows, schema };
}

describe('the database of v0.2.0', () => {
  it('is adopted with data in every state: only the records of migrations change, once for concurrent callers', async () => {
    await recordAsBefore('20261121000000_init', '20261128045217_reviews', '20261128074117_review_decisions');
    const before = await contents();
    expect(before['executions']).toHaveLength(120);
    const applied = await Promise.all([1, 2, 3].map(() => migrate(database.url, folder)));
    expect(applied).toEqual([[], [], []]);
    const [init] = await readMigrations();
    expect(await readAppliedMigrations(pool)).toEqual([{ name: init?.name, checksum: init?.checksum }]);
    expect((await pool.query('SELECT FROM _prisma_migrations')).rowCount).toBe(1);
    expect(await contents()).toEqual(before);
  });

  it('gets the migrations after `init`', async () => {
    await mkdir(join(folder, '20990101000000_later'));
    await writeFile(
      join(folder, '20990101000000_later', 'migration.sql'),
      'ALTER TABLE files ADD COLUMN later int',
    );
    await recordAsBefore('20261128074117_review_decisions');
    expect(await migrate(database.url, folder)).toEqual(['20990101000000_later']);
    expect(await migrate(database.url, folder)).toEqual([]);
  });
});

it('a database of before v0.2.0 is refused in one line that says what to do, and nothing changes', async () => {
  await recordAsBefore('20261121000000_init', '20261128045217_reviews');
  const before = await contents();
  const line = 'The database is older than v0.2.0: run the setup of the tag v0.2.0 first, then this one.';
  await expect(migrate(database.url)).rejects.toThrow(new Error(line));
  expect(await contents()).toEqual(before);
  expect((await pool.query('SELECT FROM _prisma_migrations')).rowCount).toBe(3);
});
