import { deliveryLane } from '@holdfast/domain/events';
import { until } from '@holdfast/testkit/until';
import { type Receiver, startReceiver } from '@holdfast/testkit/webhookReceiver';
import { describe, expect, it } from '@jest/globals';
import { startWebhookSender } from './start.ts';
import { hold, useStage } from './testing/stage.ts';

const stage = await useStage({ WEBHOOK_CONCURRENCY: '300' });

/** Origins may share a lane. */
async function receiverInAnotherLane(): Promise<Receiver> {
  const laneOf = ({ url }: Receiver) => deliveryLane({ endpointId: null, organizationId: '', url });
  const receiver = await startReceiver();
  if (laneOf(receiver) !== laneOf(stage.receiver)) return receiver;
  await receiver.close();
  return await receiverInAnotherLane();
}

const delivered = (where: object = {}) => stage.count({ ...where, state: 'delivered' });

describe('a receiver that hangs', () => {
  it('has at most max_in_flight requests open and gets the rest as it responds', async () => {
    await stage.addEndpoint(stage.organization.id, stage.receiver.url, { maxInFlight: 3 });
    const held = hold(stage.receiver);
    await stage.publishMany(40);
    await until('three requests', () => held.count() === 3);
    await stage.sender().sweepNow();
    let [open, most] = [0, held.count()];
    held.release();
    stage.receiver.respond = (_request, response) => {
      open += 1;
      most = Math.max(most, open);
      setTimeout(() => {
        open -= 1;
        response.writeHead(200).end();
      }, 5);
    };
    await until('all deliveries', async () => (await delivered()) === 40);
    expect([most, stage.receiver.received.length]).toEqual([3, 40]);
  });

  it('does not delay another endpoint of the organization', async () => {
    const hanging = await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    const healthy = await stage.addEndpoint(stage.organization.id, stage.otherReceiver.url);
    const held = hold(stage.receiver);
    await stage.publishMany(50);
    await until(
      'all deliveries of the healthy endpoint',
      async () => (await delivered({ endpointId: healthy.id })) === 50,
    );
    expect([held.count(), await delivered({ endpointId: hanging.id })]).toEqual([16, 0]);
    held.release();
    await until('the other deliveries', async () => (await delivered({ endpointId: hanging.id })) === 50);
    expect(stage.receiver.received).toHaveLength(50);
  });

  it('does not delay webhook_urls of another lane', async () => {
    const other = await receiverInAnotherLane();
    const held = hold(stage.receiver);
    await stage.publishMany(140, { webhookUrl: stage.receiver.url });
    await until('sixteen requests', () => held.count() === 16);
    await stage.publishMany(20, { webhookUrl: other.url });
    await until('the deliveries of the other lane', async () => (await delivered()) === 20);
    expect(held.count()).toBe(16);
    held.release();
    await until('all deliveries', async () => (await delivered()) === 160);
    expect(stage.receiver.received).toHaveLength(140);
    await other.close();
  });
});

describe('an organization whose endpoints all hang', () => {
  it('does not delay the deliveries of another organization', async () => {
    const add = (n: number) => stage.addEndpoint(stage.organization.id, `${stage.receiver.url}/${n}`);
    await Promise.all(Array.from({ length: 200 }, (_, n) => add(n)));
    const held = hold(stage.receiver);
    await stage.publishMany(2);
    await until('150 requests', () => held.count() === 150);

    const neighbour = await stage.addOrganization();
    await stage.addEndpoint(neighbour.id, stage.otherReceiver.url);
    await stage.publishMany(20, { organizationId: neighbour.id });
    await until(
      'the deliveries of the neighbour',
      async () => (await delivered({ organizationId: neighbour.id })) === 20,
    );
    expect([held.count(), await delivered()]).toEqual([150, 0]);

    held.release();
    await until('all other deliveries', async () => (await delivered()) === 400, 30_000);
    const received = stage.receiver.received.map(
      ({ path, headers }) => `${path} ${String(headers['webhook-id'])}`,
    );
    expect([received.length, new Set(received).size]).toEqual([400, 400]);
  }, 60_000);
});

describe('an endpoint with max_per_second', () => {
  it('gets no more requests than that from two senders together', async () => {
    const another = await startWebhookSender(stage.config, stage.log);
    await stage.addEndpoint(stage.organization.id, stage.receiver.url, { maxPerSecond: 20 });
    await stage.publishMany(50);
    await until('all deliveries', async () => (await delivered()) === 50, 30_000);
    await another.stop();
    expect(stage.receiver.received).toHaveLength(50);
    // By the database's clock: on a busy machine requests arrive late.
    const { rows } = await stage.db.pool.query<{ most: number }>(
      `SELECT max((SELECT count(*) FROM delivery_attempts b
         WHERE b.started_at >= a.started_at AND b.started_at < a.started_at + interval '0.99 seconds'))::int AS most
       FROM delivery_attempts a JOIN deliveries d ON d.id = a.delivery_id WHERE d.organization_id = $1`,
      [stage.organization.id],
    );
    expect(rows[0]?.most).toBeLessThanOrEqual(20);
  }, 60_000);

  it('gets one request at a time when the limit is below ten', async () => {
    await stage.addEndpoint(stage.organization.id, stage.receiver.url, { maxPerSecond: 4 });
    await stage.publishMany(6);
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

describe('an organization with many endpoints', () => {
  it('does not delay the fan-out of another organization', async () => {
    const [endpoints, events] = [40, 600];
    const paused = { failureCount: 1, probeAt: new Date('2999-01-01') };
    const add = (n: number) => stage.addEndpoint(stage.organization.id, `${stage.receiver.url}/${n}`, paused);
    await Promise.all(Array.from({ length: endpoints }, (_, n) => add(n)));
    const neighbour = await stage.addOrganization();
    await stage.publishMany(events);
    const { eventId } = await stage.publish('execution.completed', {
      organizationId: neighbour.id,
      webhookUrl: stage.otherReceiver.url,
    });
    await until('the delivery of the neighbour', () => stage.otherReceiver.received.length === 1);
    const { createdAt } = await stage.db.prisma.delivery.findFirstOrThrow({ where: { eventId } });
    expect(await stage.count({ createdAt: { lte: createdAt } })).toBeLessThan((endpoints * events) / 2);
    expect(stage.otherReceiver.received[0]?.headers['webhook-id']).toBe(eventId);
    await until('all other deliveries', async () => (await stage.count({})) === endpoints * events);
  });
});

describe('an endpoint whose row is locked by another session', () => {
  it('does not delay the deliveries of another organization, and loses none of its own', async () => {
    const endpoint = await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    const neighbour = await stage.addOrganization();
    await stage.addEndpoint(neighbour.id, stage.otherReceiver.url);
    const session = await stage.db.pool.connect();
    await session.query('BEGIN');
    await session.query('SELECT FROM webhook_endpoints WHERE id = $1 FOR UPDATE', [endpoint.id]);
    await stage.publishMany(20);
    await until('its first request', () => stage.receiver.received.length > 0);
    await stage.publishMany(200, { organizationId: neighbour.id });
    const ofNeighbour = { organizationId: neighbour.id, state: 'delivered' };
    await until('all deliveries of the neighbour', async () => (await stage.count(ofNeighbour)) === 200);
    expect(await delivered()).toBe(0);
    await session.query('ROLLBACK');
    session.release();
    await until('its deliveries', async () => (await delivered()) === 20);
    expect(stage.receiver.received).toHaveLength(20);
  });
});
