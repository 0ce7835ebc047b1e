import { type Database, openDatabase } from '@holdfast/db/client';
import { openBreakableProxy } from '@holdfast/testkit/breakableProxy';
import { until } from '@holdfast/testkit/until';
import type { Figures } from '../../../bench/bench.ts';
import { parseFlags } from '../../../bench/flags.ts';
import type { LedgerCheck } from '../../../bench/ledger.ts';
import { parts, runParts } from '../../../bench/parts.ts';
import { startStack } from '../../../bench/stack.ts';
import { percentile } from '../../../bench/statistics.ts';
import type { PostgresCluster } from './cluster.ts';
import { postgresAddress } from './node.ts';
import { patiently } from './outcome.ts';
import { startMachines } from './postgres.ts';

/** In this order: the speed of a shared machine drifts. */
const delaysMs = [0, 2, 5, 5, 2, 0];
const benchFlags = '--only lone,end_to_end,creates --executions 2000 --seconds 4'.split(' ');
const commits = 200;

type Measured = { delayMs: number; commitMs: number; creates: number; endToEnd: number; loneMs: number };

/** Measures Holdfast by the parts of the bench while commits wait for a standby that is further and further away. */
export async function measureDelays(folder: string, say: (line: string) => void) {
  const { cluster } = await startMachines(folder, true, say);
  const closing: (() => Promise<unknown>)[] = [() => cluster.close()];
  try {
    const db = openDatabase({ url: cluster.url, poolSize: 1, applicationName: 'test' });
    closing.unshift(() => db.close());
    const primary = await cluster.untilHealthy();
    const relay = await delayReplication(cluster, db);
    closing.unshift(() => relay.close());
    const stack = startStack({ cpuProfile: null, pgStat: false }, say, { DATABASE_URL: cluster.url });
    closing.unshift(() => stack.close());
    const state = await stack.ready;
    const flags = parseFlags(benchFlags, Object.keys(parts), []);
    const all: Measured[] = [];
    const problems: string[] = [];
    for (const delayMs of delaysMs) {
      relay.delayRequests(delayMs);
      say(`replication with ${delayMs} ms`);
      const commitMs = await commitLatencyMs(db);
      const { figures, ledger }: { figures: Figures; ledger: LedgerCheck } = await runParts(
        flags,
        state,
        say,
      );
      const figure = (name: string) => Number(figures[name]);
      all.push({
        delayMs,
        commitMs,
        creates: figure('creates_per_s'),
        endToEnd: figure('end_to_end_per_s'),
        loneMs: figure('lone_create_to_webhook_p50_ms'),
      });
      if (!ledger.ok) problems.push(`${delayMs} ms: ${JSON.stringify(ledger)}`);
    }
    if ((await cluster.untilHealthy()) !== primary) problems.push('the primary has changed meanwhile');
    return { table: delayTable(all), problems };
  } finally {
    for (const close of closing) await close();
  }
}

/** Lets both standbys stream from the primary through a relay; by TCP, because not every kernel can delay packets (netem). */
async function delayReplication(cluster: PostgresCluster, { pool }: Database) {
  const primary = await cluster.untilHealthy();
  const relay = await openBreakableProxy(`tcp://${postgresAddress(primary)}`, cluster.ownAddress);
  for (const machine of cluster.machines.filter((one) => one !== primary))
    await machine.redirect(postgresAddress(primary), new URL(relay.url).host);
  await patiently(() => pool.query('SELECT pg_terminate_backend(pid) FROM pg_stat_replication'));
  await until('both standbys stream through the relay', async () => {
    const { rows } = await pool.query<{ relayed: number }>(
      `SELECT count(*)::int AS relayed FROM pg_stat_replication WHERE client_addr = $1 AND state = 'streaming'`,
      [cluster.ownAddress],
    );
    return rows[0]?.relayed === cluster.machines.length - 1;
  });
  await cluster.untilHealthy();
  return relay;
}

async function commitLatencyMs({ pool }: Database): Promise<number> {
  const durationsMs: number[] = [];
  for (let nth = 0; nth < commits; nth += 1) {
    const startMs = performance.now();
    await pool.query("SELECT pg_logical_emit_message(true, 'test', 'a commit')");
    durationsMs.push(performance.now() - startMs);
  }
  return percentile(durationsMs, 0.5);
}

function delayTable(all: readonly Measured[]): string {
  const rows = all.map(({ delayMs, commitMs, creates, endToEnd, loneMs }) => [
    delayMs,
    commitMs.toFixed(1),
    Math.round(creates),
    Math.round(endToEnd),
    loneMs.toFixed(1),
  ]);
  const titles = ['delay ms', 'commit ms', 'creates/s', 'end to end/s', 'lone ms'];
  return [titles, ...rows].map((row) => row.map((cell) => String(cell).padStart(13)).join('')).join('\n');
}
