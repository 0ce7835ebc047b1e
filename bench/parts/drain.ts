import { setTimeout as sleep } from 'node:timers/promises';
import { apiClient } from '@holdfast/testkit/apiClient';
import { startCountingReceiver } from '../arrivals.ts';
import { type Bench, create, type Part, untilDelivered, watched } from '../bench.ts';
import { createEndpoint, createOrganizations, expectStatus } from '../organizations.ts';
import { latencies, lowestPerSecond, nowMs, perSecond, round } from '../statistics.ts';

const responsesMs = [50, 250];
const warmUpExecutions = 3000;
/** At a `max_per_second` of 1. */
const pacedPauseMs = 1000;
const filledTables = ['executions', 'attempts', 'transfers', 'events', 'deliveries', 'delivery_attempts'];

/**
 * How soon webhooks follow executions at a steady rate, to endpoints with default settings and receivers that take
 * their time; and how fast a backlog is delivered by statements that were planned for empty tables.
 */
export const drain: Part = {
  about: `last create to last webhook after some time at a steady rate, with receivers of ${responsesMs.join(' and ')} ms; a backlog's rate`,
  isLong: true,
  isCold: true,
  async run(bench) {
    const backlog = await measureBacklog(bench);
    const figures = [];
    for (const responseMs of responsesMs) figures.push(await measureDrain(bench, responseMs));
    return Object.assign(backlog, ...figures) as typeof backlog;
  },
};

async function measureDrain(bench: Bench, responseMs: number) {
  const { clients, drainRate: ratePerS, drainSeconds: seconds } = bench.flags;
  const receiver = await startCountingReceiver('raw', ({ executionId }) => executionId);
  receiver.configure({ responseMs });
  try {
    const [{ apiKey } = failed('organization')] = await createOrganizations(bench.state, 1, () => [
      `${receiver.url}/`,
    ]);
    const name = `drain_${responseMs}ms`;
    const created = await watched(bench, name, () =>
      create(bench, { keys: [apiKey], clients, seconds, ratePerS }),
    );
    const arrivals = await untilDelivered({ ...bench, receiver }, created);
    const lastCreateMs = created.reduce((last, { sentAtMs }) => Math.max(last, sentAtMs), 0);
    const lastWebhookMs = arrivals.reduce((last, { atMs }) => Math.max(last, atMs), 0);
    const toWebhookMs = created.map(({ sentAtMs }, nth) => (arrivals[nth]?.atMs ?? Number.NaN) - sentAtMs);
    return {
      [`${name}_s`]: round((lastWebhookMs - lastCreateMs) / 1000, 2),
      [`${name}_creates_per_s`]: round(perSecond(created)),
      ...latencies(`${name}_create_to_webhook`, toWebhookMs),
    };
  } finally {
    await receiver.close();
  }
}

/** Pending deliveries of a slow endpoint, whose limit is then removed. */
async function measureBacklog(bench: Bench): Promise<Record<string, number>> {
  await planForEmptyTables(bench);
  bench.say('warming up');
  const { clients, backlog } = bench.flags;
  await untilDelivered(bench, await create(bench, { clients, count: warmUpExecutions }));
  const receiver = await startCountingReceiver('raw', ({ executionId }) => executionId);
  try {
    const [{ apiKey } = failed('organization')] = await createOrganizations(bench.state, 1, () => []);
    const endpointId = await createEndpoint(bench.state, apiKey, {
      url: `${receiver.url}/`,
      max_per_second: 1,
    });
    bench.say(`creating ${backlog} executions`);
    const ids = (await create(bench, { keys: [apiKey], clients, count: backlog })).map(({ id }) => id);
    await untilCounted(bench, endpointId, '', backlog);
    const pending = receiver.missing(ids);
    return await watched(bench, 'backlog', async () => {
      const endpoint = `/v1/webhooks/endpoints/${endpointId}`;
      await expectStatus(
        200,
        apiClient(bench.state.base_url, apiKey).patch(endpoint, { max_per_second: null }),
      );
      // Until the pause after the last paced delivery is over, nothing is claimed.
      const startMs = nowMs() + pacedPauseMs;
      const arrivals = await receiver.of(pending);
      const timesMs = arrivals.map(({ atMs }) => atMs).filter((atMs) => atMs >= startMs);
      await untilCounted(bench, endpointId, `AND state = 'delivered'`, backlog);
      return {
        backlog_deliveries: timesMs.length,
        backlog_per_s: round((timesMs.length / (nowMs() - startMs)) * 1000),
        backlog_lowest_1_s_per_s: lowestPerSecond(timesMs, 1),
        backlog_lowest_5_s_per_s: round(lowestPerSecond(timesMs, 5)),
      };
    });
  } finally {
    await receiver.close();
    await planForFullTables(bench);
  }
}

/**
 * As after a `vacuumdb` over a month's new partitions: sessions plan their statements when the tables are empty, and
 * nothing makes them plan again. The only vacuum of tables that are not the bench's own.
 */
async function planForEmptyTables({ db }: Bench): Promise<void> {
  const { rows } = await db.pool.query<{ count: number }>('SELECT count(*)::int AS count FROM deliveries');
  if (rows[0]?.count !== 0) throw new Error('the tables are not empty: run drain before other parts');
  for (const table of await partitionsOf(db)) {
    await db.pool.query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
    await db.pool.query(`VACUUM ${table}`);
  }
}

/** As autovacuum would have left them. */
async function planForFullTables({ db }: Bench): Promise<void> {
  for (const table of await partitionsOf(db)) {
    await db.pool.query(`ALTER TABLE ${table} RESET (autovacuum_enabled)`);
    await db.pool.query(`VACUUM (ANALYZE) ${table}`);
  }
}

async function partitionsOf({ pool }: Bench['db']): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT t.relid::text AS name FROM unnest($1::text[]) AS root, pg_partition_tree(root::regclass) t WHERE t.isleaf`,
    [filledTables],
  );
  return rows.map(({ name }) => name);
}

async function untilCounted({ db }: Bench, endpointId: string, where: string, count: number): Promise<void> {
  const text = `SELECT count(*)::int AS found FROM deliveries WHERE endpoint_id = $1 ${where}`;
  for (;;) {
    const { rows } = await db.pool.query<{ found: number }>(text, [endpointId]);
    if ((rows[0]?.found ?? 0) >= count) return;
    await sleep(20);
  }
}

function failed(what: string): never {
  throw new Error(`no ${what} was created`);
}
