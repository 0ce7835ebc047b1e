import { randomInt } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { closing } from '@holdfast/testkit/closing';
import type { Customer } from '@holdfast/testkit/testData';
import { testFolder } from '@holdfast/testkit/testFolder';
import { emptyRedis } from '@holdfast/testkit/testRedis';
import { until } from '@holdfast/testkit/until';
import { type Received, type Receiver, startReceiver, status } from '@holdfast/testkit/webhookReceiver';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startFleet } from '../stack/fleet.ts';

let customer: Customer;
let receiver: Receiver;

const fleet = closing(await startFleet(testFolder('fleet')));

beforeEach(async () => {
  receiver = await startReceiver();
  customer = await fleet.newCustomer();
});
afterEach(() => receiver.close());

const addEndpoint = (fields: object = {}) =>
  customer.api.post('/v1/webhooks/endpoints', {
    url: receiver.url,
    events: ['execution.completed'],
    ...fields,
  });

async function complete(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const wanted = { model: 'sandbox-text', input: { prompt: 'hello', mode: 'sync', delay_ms: 0 } };
    expect(await customer.api.post('/v1/executions', wanted)).toMatchObject({ status: 202 });
  }
}

/** Holds the requests to the receiver with their responses. */
function hold() {
  const held: { request: Received; response: ServerResponse }[] = [];
  receiver.respond = (request, response) => void held.push({ request, response });
  return {
    held,
    release() {
      receiver.respond = status(200);
      for (const { response } of held) response.writeHead(200).end();
    },
  };
}

const eventOf = ({ headers }: Received) => String(headers['webhook-id']);
const deliveries = () =>
  fleet.db.prisma.delivery.findMany({ where: { organizationId: customer.organizationId } });
const untilDelivered = (count: number, timeoutMs = 60_000) =>
  until(
    `${count} deliveries`,
    // The database may be unavailable.
    async () => {
      const all = await deliveries().catch(() => []);
      return all.length === count && all.every(({ state }) => state === 'delivered');
    },
    timeoutMs,
  );

type Attempts = { endpointId: string; all: number; cutOff: number };

/** Per delivery: its attempts, and those without a recorded response. */
async function attempts(): Promise<Attempts[]> {
  const { rows } = await fleet.db.pool.query<Attempts>(
    `SELECT d.endpoint_id AS "endpointId", count(*)::int AS all,
       (count(*) FILTER (WHERE a.duration_ms IS NULL))::int AS "cutOff"
     FROM deliveries d JOIN delivery_attempts a ON a.delivery_id = d.id
     WHERE d.organization_id = $1 GROUP BY d.id, d.endpoint_id`,
    [customer.organizationId],
  );
  return rows;
}

const untilCounted = (count: number) =>
  until('attempts to be counted', async () => (await attempts()).length === count);

/** Kills the sender (-9), releases its leases at once, and restarts it. */
async function killSender(eventIds: string[] | null = null): Promise<void> {
  const { pool } = fleet.db;
  const backendsOfSender = `SELECT pid FROM pg_stat_activity WHERE application_name = 'webhook-sender'`;
  const backends = (await pool.query<{ pid: number }>(backendsOfSender)).rows.map(({ pid }) => pid);
  const deaths = fleet.deaths();
  fleet.signal('webhook-sender', 'SIGKILL');
  await until('its last statements have ended', async () => {
    const { rows } = await pool.query(`${backendsOfSender} AND pid = ANY ($1)`, [backends]);
    return rows.length === 0;
  });
  await freeLeases(eventIds);
  await until(
    'the next one is ready',
    async () => fleet.deaths() > deaths && (await fleet.isReady('webhook-sender')),
    60_000,
  );
}

const freeLeases = (eventIds: string[] | null) =>
  fleet.db.pool.query(
    `UPDATE deliveries SET lease_until = now() WHERE organization_id = $1 AND lease_until > now()
       AND (event_id = ANY ($2) OR $2 IS NULL)`,
    [customer.organizationId, eventIds],
  );

describe('a delivery', () => {
  it('is sent once more if the sender is killed between the request and its record', async () => {
    await addEndpoint();
    const { held } = hold();
    await complete(1);
    await until('the request', () => held.length === 1);
    await until('its attempt to be counted', async () => (await attempts())[0]?.cutOff === 1);
    receiver.respond = status(200);
    await killSender();
    await untilDelivered(1);
    const [first, second, ...others] = receiver.received as [Received, Received];
    expect(others).toEqual([]);
    expect([eventOf(second), second.body]).toEqual([eventOf(first), first.body]);
    const [delivery] = await deliveries();
    const rows = await fleet.db.prisma.deliveryAttempt.findMany({
      where: { deliveryId: delivery?.id ?? '' },
      orderBy: { number: 'asc' },
    });
    expect(rows).toMatchObject([
      { number: 1, statusCode: null, durationMs: null },
      { number: 2, statusCode: 200 },
    ]);
  }, 90_000);

  it('of an event that an inactive endpoint missed is sent once after a recovery', async () => {
    const { id } = (await addEndpoint()).body as { id: string };
    const endpoint = { where: { id } };
    await fleet.db.prisma.webhookEndpoint.update({
      ...endpoint,
      data: { failureCount: 9, probeAt: new Date(0) },
    });
    receiver.respond = status(500);
    await complete(1);
    await until('the deactivation', async () => {
      const { isActive } = await fleet.db.prisma.webhookEndpoint.findUniqueOrThrow(endpoint);
      return !isActive;
    });
    await complete(3);
    const { organizationId } = customer;
    const ended = { where: { organizationId, type: 'execution.completed' } };
    await until('the events', async () => (await fleet.db.prisma.event.count(ended)) === 4);
    expect(await deliveries()).toHaveLength(1);

    receiver.respond = status(200);
    await customer.api.patch(`/v1/webhooks/endpoints/${id}`, { is_active: true });
    const since = new Date(0).toISOString();
    const recover = () => customer.api.post(`/v1/webhooks/endpoints/${id}/recover`, { since });
    const responses = await Promise.all([recover(), recover(), recover()]);
    expect(responses.reduce((sum, { body }) => sum + Number(body['redelivered']), 0)).toBe(3);
    await untilDelivered(4);
    expect(new Set(receiver.received.map(eventOf)).size).toBe(4);
    expect(receiver.received).toHaveLength(5);
  }, 90_000);

  it('to each of 500 endpoints arrives, and is repeated only if a kill interrupted it', async () => {
    await addEndpoint();
    await fleet.db.pool.query(
      `INSERT INTO webhook_endpoints (id, organization_id, url, events, secret)
       SELECT new_id('wh'), organization_id, url || '/' || n, events, secret
       FROM webhook_endpoints, generate_series(1, 499) n WHERE organization_id = $1`,
      [customer.organizationId],
    );
    receiver.respond = (_request, response) =>
      void setTimeout(() => response.writeHead(200).end(), randomInt(100));
    await complete(1);
    const { organizationId } = customer;
    const ended = { organizationId, type: 'execution.completed' };
    await until('the event', () => fleet.db.prisma.event.findFirst({ where: ended }));
    await killSender();
    let kills = 1;
    const paths = () => new Set(receiver.received.map(({ path }) => path));
    for (const count of [1, randomInt(50, 250), randomInt(250, 490)]) {
      // A job that was in its hands is given to the next sender after 20 s at most.
      await until('the next kill', () => paths().size >= count, 60_000);
      if ((await deliveries()).some(({ state }) => state === 'pending')) {
        await killSender();
        kills += 1;
      }
    }
    await untilDelivered(500);
    const made = await attempts();
    expect(made.filter(({ all, cutOff }) => all !== cutOff + 1 || cutOff > kills)).toEqual([]);
    const urls = new Map(
      (await fleet.db.prisma.webhookEndpoint.findMany({ where: { organizationId } })).map(({ id, url }) => [
        id,
        new URL(url).pathname,
      ]),
    );
    const received = Map.groupBy(receiver.received, ({ path }) => path);
    const wrong = made.filter(({ endpointId, cutOff }) => {
      const count = received.get(urls.get(endpointId) ?? '')?.length ?? 0;
      return count < 1 || count > 1 + cutOff;
    });
    expect(wrong).toEqual([]);
    expect(received.size).toBe(500);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  }, 180_000);

  it('that was claimed ahead and had not started is sent once after a kill of its sender, as its first attempt', async () => {
    await addEndpoint({ max_in_flight: 2 });
    const first = hold();
    await complete(150);
    await until('two requests', () => first.held.length === 2);
    receiver.respond = (_request, response) => void setTimeout(() => response.writeHead(200).end(), 10);
    for (const { response } of first.held) response.writeHead(200).end();
    const { organizationId } = customer;
    const ahead = { organizationId, attempts: 0, leaseUntil: { gt: new Date() } };
    await until(
      'deliveries claimed ahead',
      async () => (await fleet.db.prisma.delivery.count({ where: ahead })) > 5,
    );
    const { held } = hold();
    await until('two requests', () => held.length === 2);
    const opened = held.map(({ request }) => eventOf(request));
    const received = receiver.received.map(eventOf);
    await until('the marks of open attempts, and the records of ended ones', async () =>
      (await deliveries()).every(({ eventId, attempts, state }) =>
        opened.includes(eventId) ? attempts === 1 : !received.includes(eventId) || state === 'delivered',
      ),
    );
    const unstarted = (await deliveries()).filter((one) => one.state === 'pending' && one.attempts === 0);
    expect(unstarted.some(({ leaseUntil }) => leaseUntil !== null)).toBe(true);
    receiver.respond = status(200);
    await killSender();
    await untilDelivered(150);
    const times = Map.groupBy(receiver.received, eventOf);
    const twice = [...times].filter(([, { length }]) => length > 1).map(([id]) => id);
    expect([times.size, new Set(twice)]).toEqual([150, new Set(opened)]);
    const counts = Map.groupBy(await deliveries(), ({ attempts }) => attempts);
    expect([
      counts.get(1)?.length,
      counts
        .get(2)
        ?.map(({ eventId }) => eventId)
        .sort(),
    ]).toEqual([148, opened.toSorted()]);
    expect((await attempts()).filter(({ all, cutOff }) => all !== cutOff + 1)).toEqual([]);
  }, 120_000);

  it('is neither lost nor sent twice when Redis is emptied and killed', async () => {
    await addEndpoint({ max_in_flight: 2 });
    const { held, release } = hold();
    await complete(30);
    await until('two requests', () => held.length === 2);
    const fanned = () => deliveries().then(({ length }) => length);
    await until('all to be fanned out', async () => (await fanned()) === 30, 60_000);
    await emptyRedis(fleet.redisUrl);
    release();
    await until('some more', () => receiver.received.length >= 5);
    await fleet.crash('redis');
    await untilDelivered(30);
    expect([receiver.received.length, new Set(receiver.received.map(eventOf)).size]).toEqual([30, 30]);
  }, 120_000);

  it('is sent once if PostgreSQL restarts while it is in flight', async () => {
    await addEndpoint();
    const { held, release } = hold();
    // As many as a receiver gets while it gives no response: a hint that Redis lost comes seconds later.
    await complete(4);
    await until('the requests', () => held.length === 4);
    // Their leases now last longer than PostgreSQL takes to recover.
    await untilCounted(4);
    const crashing = fleet.crash('postgres');
    release();
    await crashing;
    await untilDelivered(4);
    expect(receiver.received.map(eventOf)).toHaveLength(4);
    expect(new Set((await attempts()).map(({ all, cutOff }) => `${all} ${cutOff}`))).toEqual(
      new Set(['1 0']),
    );
  }, 120_000);

  it('that is in flight when its sender is killed is taken over by the other sender', async () => {
    await fleet.addCopy('webhook-sender');
    // Half of them at each sender, whichever got the hints.
    await addEndpoint({ max_in_flight: 8 });
    const { held, release } = hold();
    await complete(8);
    await until('all requests', () => held.length === 8, 60_000);
    // A lease lasts long enough once its attempt is counted: before, the other sender may take it over first.
    await untilCounted(8);
    const killed = fleet.pid('webhook-sender');
    fleet.signal('webhook-sender', 'SIGKILL');
    const isCutOff = ({ response }: { response: ServerResponse }) => response.destroyed;
    await until('it is gone', () => held.some(isCutOff));
    // The one that is started in its place is put to sleep before it can do anything.
    await until('the next one', () => fleet.pid('webhook-sender') !== killed, 30_000);
    fleet.signal('webhook-sender', 'SIGSTOP');
    const lost = held.filter(isCutOff).map(({ request }) => eventOf(request));
    const others = held.filter((one) => !isCutOff(one));
    release();
    await freeLeases(lost);
    await untilDelivered(8).finally(() => fleet.signal('webhook-sender', 'SIGCONT'));
    const times = Map.groupBy(receiver.received, eventOf);
    const twice = [...times].filter(([, { length }]) => length === 2).map(([id]) => id);
    expect(new Set(twice)).toEqual(new Set(lost));
    expect(receiver.received).toHaveLength(8 + lost.length);
    expect(others).toHaveLength(8 - lost.length);
  }, 120_000);
});
