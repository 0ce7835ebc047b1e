import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { type Bench, type Part, watched } from '../bench.ts';
import { round } from '../statistics.ts';

const connections = 16;
const update = 'UPDATE hot_row SET n = n + 1 WHERE id = 1';

/** The yardstick: how often this PostgreSQL commits an update of one row that all connections want. */
export const hotRow: Part = {
  about: `single-row updates/s on the same PostgreSQL, ${connections} connections (pgbench where it is installed)`,
  isCold: true,
  run: (bench) => measureHotRow(bench, 'hot_row'),
};

/** `name` names the measurement in `cpu_share_of_others`. */
export async function measureHotRow(bench: Bench, name: string) {
  const { flags, state, db } = bench;
  await db.pool.query('CREATE TABLE hot_row (id int PRIMARY KEY, n bigint NOT NULL)');
  await db.pool.query('INSERT INTO hot_row VALUES (1, 0)');
  await db.pool.query('VACUUM hot_row');
  const seconds = Math.max(1, Math.round(flags.seconds / 2));
  try {
    const load = { databaseUrl: state.database_url, seconds };
    return await watched(bench, name, async () => {
      const byPgbench = await pgbenchTps(load);
      return byPgbench === null
        ? { hot_row_tps: round(await ownTps(load)), hot_row_by: 'node-postgres' }
        : { hot_row_tps: round(byPgbench), hot_row_by: 'pgbench' };
    });
  } finally {
    await db.pool.query('DROP TABLE hot_row');
  }
}

type HotRow = { databaseUrl: string; seconds: number };

async function ownTps({ databaseUrl, seconds }: HotRow): Promise<number> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: connections });
  let updates = 0;
  const startMs = performance.now();
  const client = async () => {
    const connection = await pool.connect();
    while (performance.now() - startMs < seconds * 1000) {
      await connection.query({ name: 'hot_row', text: update });
      updates += 1;
    }
    connection.release();
  };
  await Promise.all(Array.from({ length: connections }, client));
  const tps = updates / ((performance.now() - startMs) / 1000);
  await pool.end();
  return tps;
}

/** Prepared, in autocommit; null where pgbench is not installed. */
async function pgbenchTps({ databaseUrl, seconds }: HotRow): Promise<number | null> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const args = [
    '--no-vacuum',
    '--protocol=prepared',
    `--client=${connections}`,
    '--jobs=1',
    `--time=${seconds}`,
  ];
  const child = spawn('pgbench', [...args, '--file=-', pathname.slice(1)], {
    env: { ...childEnvironment, PGHOST: hostname, PGPORT: port, PGUSER: username, PGPASSWORD: password },
  });
  child.stdin.on('error', () => undefined).end(`${update};\n`);
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  try {
    await once(child, 'spawn');
  } catch {
    return null;
  }
  const [printed, errors] = await output;
  const tps = /^tps = ([\d.]+)/m.exec(printed)?.[1];
  if (tps === undefined) throw new Error(`pgbench failed: ${errors.trim()}`);
  return Number(tps);
}

const childEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' };
