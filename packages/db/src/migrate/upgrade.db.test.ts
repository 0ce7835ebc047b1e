import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createBareDatabase, openTestPool } from '@holdfast/testkit/testDatabase';
import { testFolder } from '@holdfast/testkit/testFolder';
import { until } from '@holdfast/testkit/until';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate, migrationsFolder, readAppliedMigrations, readMigrations } from './migrate.ts';

// The example of docs/contributing/migrations.md: each block of SQL there begins with the name of its migration.
const page = readFileSync(
  resolve(import.meta.dirname, '../../../../docs/contributing/migrations.md'),
  'utf8',
);
const example = [...page.matchAll(/^```sql\n-- (\d{14}\w+)\n(.*?)^```$/gms)].map(
  ([, name = '', sql = '']) => ({ name, sql }),
);

let database: { url: string; drop: () => Promise<void> };
let folder: string;
let pool: pg.Pool;

beforeEach(async () => {
  database = await createBareDatabase();
  folder = testFolder('migrations');
  await cp(migrationsFolder, folder, { recursive: true });
  pool = openTestPool(database.url);
  await migrate(database.url, folder);
  await pool.query(`SELECT make_partitions('2025-01-01'::date, '2025-03-01'::date)`);
  for (const day of ['2025-01-31', '2025-02-01', '2025-02-02', '2025-03-01']) await complete(day);
});

afterEach(async () => {
  await pool.end();
  await database.drop();
});

/** Ships the migrations of the example up to `last`. */
async function ship(last: string): Promise<void> {
  const end = example.findIndex(({ name }) => name.endsWith(last));
  expect(end).toBeGreaterThanOrEqual(0);
  for (const { name, sql } of example.slice(0, end + 1)) {
    await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, name, 'migration.sql'), sql);
  }
}

/** A completed execution of that day, as the version before the example writes it. */
const complete = (day: string, completedAt = day) =>
  pool.query(
    `INSERT INTO executions (id, organization_id, model, status, input, hold_amount, estimated_cost, cost, latency_ms,
       created_at, completed_at, expires_at)
     SELECT month_bound('exec', $1) || '-7000-8000-' || substr(md5(random()::text), 1, 12), 'org_1', 'm', 'COMPLETED', '{}',
       1, 1, 1, 61000, $1, $2, $1`,
    [day, completedAt],
  );

const latencies = async () =>
  (await pool.query('SELECT DISTINCT latency_us::int AS us FROM executions ORDER BY 1')).rows.map(
    ({ us }) => us,
  );

/** By month, whether the index has it; each at most once. */
async function monthsIndexed(): Promise<Record<string, boolean>> {
  const { rows } = await pool.query<{ name: string; has: boolean }>(
    `SELECT c.relname AS name, x.indexrelid IS NOT NULL AS has FROM pg_inherits p JOIN pg_class c ON c.oid = p.inhrelid
     LEFT JOIN (pg_inherits i JOIN pg_index x ON x.indexrelid = i.inhrelid AND x.indisvalid)
       ON i.inhparent = to_regclass('executions_slow') AND x.indrelid = c.oid
     WHERE p.inhparent = 'executions'::regclass ORDER BY 1`,
  );
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  return Object.fromEntries(rows.map(({ name, has }) => [name, has]));
}

async function lockMonth(month: string): Promise<pg.Client> {
  const writer = new pg.Client({ connectionString: database.url });
  await writer.connect();
  await writer.query(`BEGIN; LOCK TABLE executions_${month} IN ROW EXCLUSIVE MODE`);
  return writer;
}

const isIndexedUpTo = async (month: string, next: string) => {
  const months = await monthsIndexed();
  return months[`executions_${month}`] === true && months[`executions_${next}`] === false;
};

it('the first version fills old rows, and indexes one month at a time while others are written', async () => {
  await ship('_slow_executions');
  expect(await migrate(database.url, folder)).toHaveLength(3);
  await ship('_slow_executions_months');
  const writer = await lockMonth('2025_02');
  const migrated = migrate(database.url, folder);
  await until('the month before is indexed', () => isIndexedUpTo('2025_01', '2025_02'));
  await pool.query(
    'BEGIN; LOCK TABLE ONLY executions, executions_2025_01 IN ROW EXCLUSIVE MODE NOWAIT; COMMIT',
  );
  await complete('2025-01-31');
  await writer.query('COMMIT');
  await writer.end();
  expect(await migrated).toHaveLength(1);
  expect(Object.values(await monthsIndexed())).not.toContain(false);
  const { rows } = await pool.query(
    `SELECT indisvalid FROM pg_index WHERE indexrelid = 'executions_slow'::regclass`,
  );
  expect(rows).toEqual([{ indisvalid: true }]);
  // The one that the previous version completed during the migration has none yet.
  expect(await latencies()).toEqual([61_000_000, null]);
}, 60_000);

it('the backfill leaves rows that end after its start, so that it finishes under load', async () => {
  await complete('2025-03-01', '2099-01-01');
  await ship('_latency_us_filled');
  expect(await migrate(database.url, folder)).toHaveLength(2);
  expect(await latencies()).toEqual([61_000_000, null]);
});

it('a migration whose process is killed between two months continues with the next month', async () => {
  await ship('_slow_executions');
  expect(await migrate(database.url, folder)).toHaveLength(3);
  await ship('_slow_executions_months');
  const writer = await lockMonth('2025_02');
  const program = `import { migrate } from ${JSON.stringify(join(import.meta.dirname, 'migrate.ts'))};
  await migrate(${JSON.stringify(database.url)}, ${JSON.stringify(folder)});`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
    stdio: 'ignore',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  await until('the month before is indexed', () => isIndexedUpTo('2025_01', '2025_02'));
  child.kill('SIGKILL');
  await once(child, 'exit');
  await writer.query('COMMIT');
  await writer.end();
  expect(await migrate(database.url, folder)).toEqual([expect.stringContaining('_slow_executions_months')]);
  expect(Object.values(await monthsIndexed())).not.toContain(false);
}, 60_000);

it('the next versions fill the rows that were left, check them, and drop the old column', async () => {
  await ship('_slow_executions_months');
  await migrate(database.url, folder);
  await complete('2025-03-01');
  await ship('_latency_us_checked');
  expect(await migrate(database.url, folder)).toHaveLength(3);
  expect(await latencies()).toEqual([61_000_000]);
  await expect(pool.query('UPDATE executions SET latency_us = -1')).rejects.toThrow('executions_latency_us');
  await ship('_latency_ms_gone');
  expect(await migrate(database.url, folder)).toHaveLength(1);
  await expect(complete('2025-03-01')).rejects.toThrow(
    '"latency_ms" of relation "executions" does not exist',
  );
  const applied = await readAppliedMigrations(pool);
  expect(applied).toEqual((await readMigrations(folder)).map(({ name, checksum }) => ({ name, checksum })));
});
