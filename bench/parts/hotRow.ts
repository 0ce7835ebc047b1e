import pg from 'pg';
import { type Bench, type Part, watched } from '../bench.ts';
import { pgbenchTps } from '../pgbench.ts';
import { round } from '../statistics.ts';

const connections = 16;
const update = 'UPDATE hot_row SET n = n + 1 WHERE id = 1';

/** The yardstick: how often this Postgres commits an update of one row that everybody wants. */
export const hotRow: Part = {
  about: `single-row updates/s on the same Postgres, ${connections} connections (pgbench where it is installed)`,
  isBare: true,
  run: (bench) => measureHotRow(bench, 'hot_row'),
};

/** `name`: under which is kept what others took of the CPU meanwhile. */
export async function measureHotRow(bench: Bench, name: string) {
  const { flags, state, db } = bench;
  await db.pool.query('CREATE TABLE hot_row (id int PRIMARY KEY, n bigint NOT NULL)');
  await db.pool.query('INSERT INTO hot_row VALUES (1, 0)');
  const seconds = Math.max(1, Math.round(flags.seconds / 2));
  try {
    const load = { databaseUrl: state.database_url, connections, seconds, statement: update };
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

async function ownTps({ databaseUrl, seconds }: { databaseUrl: string; seconds: number }): Promise<number> {
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
