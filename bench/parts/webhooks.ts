import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@holdfast/kit/logger';
import { fanoutJobs, fanoutQueue } from '@holdfast/queues/definitions';
import { openProducer } from '@holdfast/queues/producer';
import { type CountingReceiver, startCountingReceiver } from '../arrivals.ts';
import { accounted, type Bench, type Part } from '../bench.ts';
import { type BareLoops, openBareLoops } from '../load/threads.ts';
import { createEndpoint } from '../organizations.ts';
import { nowMs, round, sum } from '../statistics.ts';

const manyLoops = 128;
// Bare posts have the bodies of deliveries: only the path tells them apart.
const deliveriesPath = '/deliveries';
const barePath = '/bare';

/**
 * The webhook-sender alone: past events are fanned out again to a new endpoint with default settings. Before and after,
 * the same client posts the same bytes to the same receiver, in one bare loop and in 128.
 */
export const webhooks: Part = {
  about:
    'deliveries/s, attempts recorded, and posts/s of the same HTTP client in a bare loop, for comparison',
  async run(bench) {
    const receiver = await startCountingReceiver('node', ({ path, eventId }) =>
      path === deliveriesPath ? eventId : null,
    );
    const endpoint = await subscribeAlone(bench, receiver.url + deliveriesPath);
    try {
      const eventIds = await pastEvents(bench, endpoint.id);
      const bare = await bareLoops(bench, receiver, eventIds);
      bench.say('bare loops');
      const before = [await bare.run(1), await bare.run(manyLoops)] as const;
      const perS = await deliver(bench, { receiver, endpointId: endpoint.id, eventIds });
      bench.say('bare loops');
      const after = [await bare.run(1), await bare.run(manyLoops)] as const;
      await bare.close();
      return {
        deliveries_per_s: round(perS),
        repeated_deliveries: sum(receiver.repeated().values()),
        bare_loop_posts_per_s: round(mean(before[0], after[0])),
        [`bare_posts_${manyLoops}_at_once_per_s`]: round(mean(before[1], after[1])),
      };
    } finally {
      await endpoint.close();
      await receiver.close();
    }
  },
};

/** Harmonic: of rates over the same count. */
const mean = (one: number, other: number) => 2 / (1 / one + 1 / other);

/** The bench measures other organizations, too, whose executions have events. */
const ofOwner = 'organization_id = (SELECT organization_id FROM webhook_endpoints WHERE id = $1)';

async function subscribeAlone({ db, state, apiKey }: Bench, url: string) {
  const id = await createEndpoint(state, apiKey, { url, events: ['execution.completed'] });
  const others = `${ofOwner} AND id <> $1`;
  await db.pool.query(`UPDATE webhook_endpoints SET is_active = false WHERE ${others}`, [id]);
  return {
    id,
    async close() {
      await db.pool.query(`UPDATE webhook_endpoints SET is_active = true WHERE ${others}`, [id]);
      await db.pool.query(
        'UPDATE webhook_endpoints SET is_active = false, deleted_at = now() WHERE id = $1',
        [id],
      );
    },
  };
}

async function pastEvents({ db, flags }: Bench, endpointId: string): Promise<string[]> {
  const { rows } = await db.pool.query<{ id: string }>(
    `SELECT id FROM events WHERE type = 'execution.completed' AND body IS NOT NULL AND ${ofOwner}
     ORDER BY id DESC LIMIT $2`,
    [endpointId, flags.executions],
  );
  return rows.map(({ id }) => id);
}

/** Not before they are measured: five seconds later a sweep delivers them. */
async function renewEvents({ db }: Bench, eventIds: string[]): Promise<void> {
  await db.pool.query('UPDATE events SET fanned_out_at = NULL, created_at = now() WHERE id = ANY ($1)', [
    eventIds,
  ]);
}

async function bareLoops({ db }: Bench, { url }: CountingReceiver, eventIds: string[]): Promise<BareLoops> {
  const { rows } = await db.pool.query<{ body: string }>(
    'SELECT body FROM events WHERE id = ANY ($1) LIMIT 1000',
    [eventIds],
  );
  return openBareLoops({
    url: url + barePath,
    bodies: rows.map(({ body }) => body),
    headers,
    count: eventIds.length,
  });
}

const headers = {
  'Content-Type': 'application/json',
  'User-Agent': 'Holdfast-Webhooks/1.0',
  'X-Signature-Timestamp': '1774002600',
  'X-Signature': '0'.repeat(64),
  'webhook-id': 'evt_00000000-0000-7000-8000-000000000000',
  'webhook-timestamp': '1774002600',
  'webhook-signature': `v1,${'0'.repeat(44)}`,
};

/** From the first hint to the last recorded attempt. */
async function deliver(
  bench: Bench,
  args: { receiver: CountingReceiver; endpointId: string; eventIds: string[] },
): Promise<number> {
  const { receiver, eventIds, endpointId } = args;
  const fanout = openProducer(fanoutQueue, bench.redis, createLogger('bench', 'warn'));
  let seconds = Number.NaN;
  await accounted(bench, 'webhooks', async () => {
    await renewEvents(bench, eventIds);
    const startMs = nowMs();
    await fanout.addAll(fanoutJobs({ eventIds, deliveryIds: [] }));
    await receiver.of(eventIds);
    await untilRecorded(bench, endpointId, eventIds.length);
    seconds = (nowMs() - startMs) / 1000;
    return eventIds;
  });
  await fanout.close();
  return eventIds.length / seconds;
}

async function untilRecorded({ db }: Bench, endpointId: string, count: number): Promise<void> {
  const text = `SELECT count(*)::int AS recorded FROM deliveries WHERE endpoint_id = $1 AND state = 'delivered'`;
  for (;;) {
    const { rows } = await db.pool.query<{ recorded: number }>(text, [endpointId]);
    if ((rows[0]?.recorded ?? 0) >= count) return;
    await sleep(5);
  }
}
