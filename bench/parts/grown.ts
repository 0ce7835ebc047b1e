import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, type Part, warmUp } from '../bench.ts';
import { seed } from '../grown/seed.ts';
import { resetStatements } from '../postgres.ts';
import { round } from '../statistics.ts';
import { measureCreates } from './creates.ts';
import { runWarm } from './endToEnd.ts';
import { measureHotRow } from './hotRow.ts';

const organizations = 1000;

/** Hot row and creates in a full database, relative to the same figures taken just before. */
export const grown: Part = {
  about: 'creates/s and end to end, before and after millions of executions are inserted into the database',
  isLong: true,
  async run(bench) {
    const before = await measureBoth(bench, 'empty');
    const startMs = performance.now();
    const { finished, pending } = bench.flags;
    await seed(bench.state.database_url, { finished, pending, organizations }, bench.say);
    const seedingS = round((performance.now() - startMs) / 1000, 0);
    await untilVacuumed(bench);
    await warmUp(bench);
    // Only the following statements count.
    if (bench.flags.pgStat) await resetStatements(bench.db);
    const sizes = { grown_finished: finished, grown_pending: pending, grown_seeding_s: seedingS };
    return { ...before, ...sizes, ...(await measureBoth(bench, 'grown')) };
  },
};

/** More than `autovacuum_naptime`. */
const autovacuumComesMs = 70_000;

/** What seeding owes to autovacuum is not a cost of the executions that follow. */
async function untilVacuumed({ db, say }: Bench): Promise<void> {
  say('waiting for autovacuum');
  await sleep(autovacuumComesMs);
  const workers = `SELECT FROM pg_stat_activity WHERE backend_type = 'autovacuum worker'`;
  while ((await db.pool.query(workers)).rowCount !== 0) await sleep(1000);
}

/** The hot row too: it shows how fast the machine is at the moment. */
async function measureBoth(bench: Bench, name: string) {
  const { hot_row_tps: tps } = await measureHotRow(bench, `${name}_hot_row`);
  const { creates_per_s: createsPerS } = await measureCreates(bench, `${name}_creates`);
  const { perS } = await runWarm(bench, `${name}_end_to_end`);
  bench.say(`${name}: hot row ${tps}/s, ${createsPerS} creates/s, ${perS} end to end/s`);
  return {
    [`${name}_hot_row_tps`]: tps,
    [`${name}_creates_per_s`]: createsPerS,
    [`${name}_end_to_end_per_s`]: perS,
  };
}
