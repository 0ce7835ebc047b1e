import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBareDatabase } from '@holdfast/testkit/testDatabase';
import { until } from '@holdfast/testkit/until';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate, migrationsFolder, readMigrations, retryWhileLocked } from './migrate.ts';
import { newMigration } from './newMigration.ts';

describe('migrate', () => {
  let database: { url: string; drop: () => Promise<void> };
  let folder: string;

  beforeEach(async () => {
    database = await createBareDatabase();
    folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  });

  afterEach(async () => {
    await database.drop();
    await rm(folder, { recursive: true });
  });

  async function query(text: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  }

  async function addMigration(name: string, sql: string): Promise<void> {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'migration.sql'), sql);
  }

  async function allNames(): Promise<string[]> {
    return (await readMigrations()).map(({ name }) => name);
  }

  describe('migrate', () => {
    // All of ours would take seconds in each test.
    beforeEach(() => addMigration('20200101000000_files', 'CREATE TABLE files (id int);'));

    it('applies every migration once, oldest first, and records it as Prisma does', async () => {
      expect(await migrate(database.url)).toEqual(await allNames());
      expect(await migrate(database.url)).toEqual([]);
      const rows = await query(
        `SELECT migration_name AS name, checksum, applied_steps_count AS steps, logs, length(id) AS length
         FROM _prisma_migrations WHERE finished_at >= started_at ORDER BY 1`,
      );
      const expected = (await readMigrations()).map(({ name, checksum }) => ({
        name,
        checksum,
        steps: 1,
        logs: null,
        length: 36,
      }));
      expect(rows).toEqual(expected);
    });

    it('refuses a database with tables of another program', async () => {
      await query('CREATE TABLE guests (id int)');
      await expect(migrate(database.url)).rejects.toThrow(/not a Holdfast one/);
    });

    it('runs once for several concurrent callers', async () => {
      const applied = await Promise.all([1, 2, 3].map(() => migrate(database.url)));
      expect(applied.flat()).toEqual(await allNames());
    });

    it('accepts function bodies that contain semicolons', async () => {
      const body = 'BEGIN PERFORM 1; RETURN 7; END;';
      await addMigration(
        '20990101000000_f',
        `CREATE FUNCTION seven() RETURNS int LANGUAGE plpgsql AS $$${body}$$;`,
      );
      await migrate(database.url, folder);
      expect(await query('SELECT seven() AS n')).toEqual([{ n: 7 }]);
    });

    it('rolls a failed migration back and reports the reason', async () => {
      await addMigration('20990101000000_bad', 'CREATE TABLE half_done (); SELECT * FROM nowhere;');
      await expect(migrate(database.url, folder)).rejects.toThrow(/nowhere/);
      expect(await query("SELECT to_regclass('half_done') AS found")).toEqual([{ found: null }]);
    });

    it('retries a migration that failed', async () => {
      await addMigration('20990101000000_late', 'CREATE TABLE copied AS SELECT * FROM source;');
      await expect(migrate(database.url, folder)).rejects.toThrow(/source/);
      await query('CREATE TABLE source (n int)');
      expect(await migrate(database.url, folder)).toEqual(['20990101000000_late']);
      expect(await migrate(database.url, folder)).toEqual([]);
    });

    it('waits for a long reader of a table without blocking other sessions', async () => {
      await migrate(database.url, folder);
      await addMigration('20990101000000_extra', 'ALTER TABLE files ADD COLUMN extra int;');
      const reader = new pg.Client({ connectionString: database.url });
      await reader.connect();
      await reader.query('BEGIN; SELECT FROM files');
      const migrated = migrate(database.url, folder);
      await until('the script waits', async () => (await scriptsAtWork()) === 1);
      // Queued behind the script, and let go with it.
      expect(await query('SELECT FROM files')).toEqual([]);
      await reader.query('COMMIT');
      await reader.end();
      expect(await migrated).toEqual(['20990101000000_extra']);
    });

    it('counts a migration as applied whose process was killed after the script had committed', async () => {
      const { unlock } = await killInTheMiddle();
      await unlock();
      await until('the script has ended', async () => (await scriptsAtWork()) === 0);
      expect(await migrate(database.url, folder)).toEqual([]);
      expect(await query('SELECT extra FROM files')).toEqual([]);
    });

    it('applies a migration once when the script still runs after its process was killed', async () => {
      const { unlock } = await killInTheMiddle();
      const again = migrate(database.url, folder);
      const dead = 'SELECT FROM _prisma_migrations WHERE rolled_back_at IS NOT NULL';
      await until('the first is taken for dead', async () => (await query(dead)).length === 1);
      await unlock();
      expect(await again).toEqual(['20990101000000_extra']);
      expect(await query('SELECT extra FROM files')).toEqual([]);
      expect(await migrate(database.url, folder)).toEqual([]);
    });
  });

  /** A migration whose script waits for a lock when its process is killed. */
  async function killInTheMiddle(): Promise<{ unlock: () => Promise<void> }> {
    await migrate(database.url, folder);
    await addMigration(
      '20990101000000_extra',
      'SET LOCAL lock_timeout = 0; ALTER TABLE files ADD COLUMN extra int;',
    );
    const locker = new pg.Client({ connectionString: database.url });
    await locker.connect();
    await locker.query('BEGIN; LOCK TABLE files');
    const program = `import { migrate } from ${JSON.stringify(join(import.meta.dirname, 'migrate.ts'))};
    await migrate(${JSON.stringify(database.url)}, ${JSON.stringify(folder)});`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
      stdio: 'ignore',
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    await until('the script waits', async () => (await scriptsAtWork()) === 1);
    child.kill('SIGKILL');
    await once(child, 'exit');
    return { unlock: () => locker.end() };
  }

  async function scriptsAtWork(): Promise<number> {
    const rows = await query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
       AND query LIKE '%ALTER TABLE files ADD COLUMN extra%' AND state = 'active'`,
    );
    return rows.length;
  }

  describe('newMigration', () => {
    beforeEach(() => cp(migrationsFolder, folder, { recursive: true }));

    it('writes nothing while the migrations match the schema', async () => {
      expect(await newMigration(database.url, 'nothing', folder)).toBeNull();
    });

    it('writes what the schema adds, and keeps hand-written indexes and checks', async () => {
      await addMigration(
        '20990101000000_hand',
        `ALTER TABLE files DROP COLUMN width; ALTER TABLE files ADD CHECK (height <> 7);
       CREATE INDEX ON files (id) WHERE state = 'x'; CREATE INDEX ON files (lower(id));`,
      );
      const file = await newMigration(database.url, 'width_again', folder);
      expect(file).toMatch(/\d{14}_width_again\/migration\.sql$/);
      const written = (await readMigrations(folder)).find(({ name }) => name.endsWith('_again'));
      expect(written?.sql.replace(/\s+/g, ' ')).toBe(
        '-- AlterTable ALTER TABLE "files" ADD COLUMN "width" INTEGER; ',
      );
    });

    it.each(['', 'Upper', 'two words', '../up', '_x'])('refuses the name %j', async (name) => {
      await expect(newMigration(database.url, name, folder)).rejects.toThrow(/lower-case/);
    });
  });
});

describe('retryWhileLocked', () => {
  const locked = () => Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });

  it('retries a migration that does not get its locks', async () => {
    let times = 0;
    const work = async () => {
      times += 1;
      if (times < 2) throw locked();
      return times;
    };
    expect(await retryWhileLocked(work)).toBe(2);
  });

  it('gives up after its time limit with the reason, and retries no other failure', async () => {
    const failing = (error: Error) => async () => {
      throw error;
    };
    const fail = (error: Error) => retryWhileLocked(failing(error), -1);
    await expect(fail(locked())).rejects.toThrow(/lock timeout: tables were in use for /);
    await expect(fail(new Error('no such table'))).rejects.toThrow(/^no such table$/);
  });
});
