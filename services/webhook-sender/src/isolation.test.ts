import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { testRedisUrl } from '@holdfast/testkit/testRedis';
import { until } from '@holdfast/testkit/until';
import { type Receiver, startReceiver } from '@holdfast/testkit/webhookReceiver';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startWebhookSender } from './start.ts';
import { hold } from './testing/hold.ts';
import { openStage, type Stage } from './testing/stage.ts';

let stage: Stage;
let receiver: Receiver;
let other: Receiver;
let organizationId: string;

beforeAll(async () => {
  stage = await openStage(await createTestDatabase(), testRedisUrl(), { WEBHOOK_CONCURRENCY: '300' });
});
afterAll(() => stage.close());

beforeEach(async () => {
  [receiver, other] = await Promise.all([startReceiver(), startReceiver()]);
  organizationId = (await stage.addOrganization()).id;
});
afterEach(() => Promise.all([receiver.close(), other.close()]));

async function addEvents(count: number, fields: { of?: string; webhookUrl?: string } = {}): Promise<void> {
  const { of = organizationId, ...rest } = fields;
  const adding = Array.from({ length: count }, () => stage.addEvent(of, 'execution.completed', rest));
  await stage.fanout.add({ eventIds: (await Promise.all(adding)).map(({ eventId }) => eventId) });
}

const delivered = (where: object = { organizationId }) =>
  stage.db.prisma.delivery.count({ where: { ...where, state: 'delivered' } });

describe('one receiver that hangs', () => {
  it('has at most max_in_flight requests open, and gets the others as it answers', async () => {
    await stage.addEndpoint(organizationId, receiver.url, { maxInFlight: 3 });
    const held = hold(receiver);
    await addEvents(40);
    await until('as many as it takes', () => held.count() === 3);
    await stage.sender().sweepNow();
    let [open, most] = [0, held.count()];
    held.release();
    receiver.answer = (_request, response) => {
      open += 1;
      most = Math.max(most, open);
      setTimeout(() => {
        open -= 1;
        response.writeHead(200).end();
      }, 5);
    };
    await until('all deliveries', async () => (await delivered()) === 40);
    expect([most, receiver.received.length]).toEqual([3, 40]);
  });

  it('does not slow its sibling', async () => {
    const hanging = await stage.addEndpoint(organizationId, receiver.url);
    const healthy = await stage.addEndpoint(organizationId, other.url);
    const held = hold(receiver);
    await addEvents(50);
    await until('all of the sibling', async () => (await delivered({ endpointId: healthy.id })) === 50);
    expect([held.count(), await delivered({ endpointId: hanging.id })]).toEqual([8, 0]);
    held.release();
    await until('the others', async () => (await delivered({ endpointId: hanging.id })) === 50);
    expect(receiver.received).toHaveLength(50);
  });

  it('does not keep the webhook_urls of another origin waiting', async () => {
    const held = hold(receiver);
    await addEvents(140, { webhookUrl: receiver.url });
    await until('as many as may be open', () => held.count() === 128);
    await addEvents(20, { webhookUrl: other.url });
    await until('those of the other origin', async () => (await delivered()) === 20);
    expect(held.count()).toBe(128);
    held.release();
    await until('all of them', async () => (await delivered()) === 160);
    expect(receiver.received).toHaveLength(140);
  });
});

describe('an organization whose endpoints all hang', () => {
  it("does not keep another's deliveries waiting", async () => {
    const add = (n: number) => stage.addEndpoint(organizationId, `${receiver.url}/${n}`);
    await Promise.all(Array.from({ length: 200 }, (_, n) => add(n)));
    const held = hold(receiver);
    await addEvents(2);
    await until('as many as it may have open', () => held.count() === 150);

    const neighbour = await stage.addOrganization();
    await stage.addEndpoint(neighbour.id, other.url);
    await addEvents(20, { of: neighbour.id });
    await until('the neighbour', async () => (await delivered({ organizationId: neighbour.id })) === 20);
    expect([held.count(), await delivered()]).toEqual([150, 0]);

    held.release();
    await until('all of its own', async () => (await delivered()) === 400, 30_000);
    const received = receiver.received.map(({ path, headers }) => `${path} ${String(headers['webhook-id'])}`);
    expect([received.length, new Set(received).size]).toEqual([400, 400]);
  }, 60_000);
});

describe('an endpoint with max_per_second', () => {
  it('gets no more than that, however many senders there are', async () => {
    const another = await startWebhookSender(stage.config, stage.log);
    await stage.addEndpoint(organizationId, receiver.url, { maxPerSecond: 20 });
    await addEvents(50);
    await until('all deliveries', async () => (await delivered()) === 50, 30_000);
    await another.stop();
    expect(receiver.received).toHaveLength(50);
    // By the clock that decides, and not by when a busy machine came to send them.
    const { rows } = await stage.db.pool.query<{ most: number }>(
      `SELECT max((SELECT count(*) FROM delivery_attempts b
         WHERE b.started_at >= a.started_at AND b.started_at < a.started_at + interval '0.99 seconds'))::int AS most
       FROM delivery_attempts a JOIN deliveries d ON d.id = a.delivery_id WHERE d.organization_id = $1`,
      [organizationId],
    );
    expect(rows[0]?.most).toBeLessThanOrEqual(20);
  }, 60_000);

  it('of less than ten gets one at a time', async () => {
    await stage.addEndpoint(organizationId, receiver.url, { maxPerSecond: 4 });
    await addEvents(6);
    await until('all deliveries', async () => (await delivered()) === 6);
    const started = await stage.db.prisma.deliveryAttempt.findMany({
      orderBy: { startedAt: 'desc' },
      take: 6,
    });
    const times = started.map(({ startedAt }) => startedAt.getTime());
    const gaps = times.slice(1).map((time, n) => (times[n] ?? 0) - time);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(249);
  });
});
