import { deliverQueue } from '@holdfast/queues/definitions';
import { openInspector } from '@holdfast/queues/inspector';
import { until } from '@holdfast/testkit/until';
import { expect, it } from '@jest/globals';
import { hold, useStage } from './testing/stage.ts';

const stage = await useStage();

const delivered = () => stage.count({ state: 'delivered' });
const claimedAhead = () => stage.count({ attempts: 0, leaseUntil: { gt: new Date() } });

/** Deliveries that wait with the lease they were written with, which ends soon if their sender is killed. */
async function writtenAhead(): Promise<number> {
  const { rows } = await stage.db.pool.query<{ count: number }>(
    `SELECT count(*)::int FROM deliveries WHERE organization_id = $1 AND attempts = 0 AND lease_until > now()
       AND lease_until <= created_at + interval '8 seconds'`,
    [stage.organization.id],
  );
  return rows[0]?.count ?? 0;
}

async function hintsWaiting(): Promise<number> {
  const inspector = await openInspector(stage.config.REDIS_URL);
  const depths = await inspector.depths();
  await inspector.close();
  return depths.find(({ queue }) => queue === deliverQueue.name)?.waiting ?? 0;
}

/** Responds to the first requests, and holds the later ones. */
function holdAfter(count: number) {
  const { receiver } = stage;
  const held = hold(receiver);
  const keep = receiver.respond;
  receiver.respond = (request, response) => {
    if (receiver.received.length > count) keep(request, response);
    else setTimeout(() => response.writeHead(200).end(), 5);
  };
  return held;
}

/**
 * Publishes until two requests are held and more than five deliveries wait in the sender. It gives those back after three
 * seconds, and gets no others while the receiver is silent: a later look needs another try.
 */
function holdWithOthersAhead(look: () => Promise<number>) {
  let published = 0;
  return until('two requests with deliveries ahead', async () => {
    const held = holdAfter(published + 20);
    published += (await stage.publishMany(400)).length;
    await until('two requests', () => held.count() === 2);
    const isSeen = await until('deliveries', async () => (await look()) > 5, 3000).catch(() => false);
    if (isSeen) return { held, published };
    held.release();
    await until('all deliveries', async () => (await delivered()) === published);
    return null;
  });
}

function respondAfter(ms: number): void {
  stage.receiver.respond = (_request, response) => void setTimeout(() => response.writeHead(200).end(), ms);
}

it('gives back what it claimed ahead when it stops, as no attempt', async () => {
  await stage.addEndpoint(stage.organization.id, stage.receiver.url, { maxInFlight: 2 });
  const { held, published } = await holdWithOthersAhead(claimedAhead);
  const stopping = stage.stopSender();
  held.release();
  await stopping;
  const done = await delivered();
  expect(await stage.count({ state: 'pending', attempts: 0, leaseUntil: null })).toBe(published - done);
  expect(done).toBeLessThan(published);
  expect(await hintsWaiting()).toBeGreaterThan(0);

  await stage.startSender();
  await until('all deliveries', async () => (await delivered()) === published, 30_000);
  const received = stage.receiver.received.map(({ headers }) => headers['webhook-id']);
  expect([received.length, new Set(received).size]).toEqual([published, published]);
  const { rows } = await stage.db.pool.query(
    `SELECT count(*)::int AS attempts, count(DISTINCT a.delivery_id)::int AS deliveries, max(d.attempts) AS most,
       count(*) FILTER (WHERE a.status_code = 200)::int AS accepted
     FROM delivery_attempts a JOIN deliveries d ON d.id = a.delivery_id WHERE d.organization_id = $1`,
    [stage.organization.id],
  );
  expect(rows).toEqual([{ attempts: published, deliveries: published, most: 1, accepted: published }]);
}, 60_000);

it('counts an attempt of a delivery that was claimed ahead once it has started', async () => {
  await stage.addEndpoint(stage.organization.id, stage.receiver.url, { maxInFlight: 2 });
  const { held, published } = await holdWithOthersAhead(writtenAhead);
  await until('their attempts', async () => {
    const { rows } = await stage.db.pool.query(
      `SELECT d.attempts FROM delivery_attempts a JOIN deliveries d ON d.id = a.delivery_id
       WHERE d.organization_id = $1 AND a.duration_ms IS NULL AND d.state = 'pending'`,
      [stage.organization.id],
    );
    return rows.length === 2 && rows.every(({ attempts }) => attempts === 1);
  });
  held.release();
  await until('all deliveries', async () => (await delivered()) === published, 30_000);
}, 60_000);

it('continues after a restart with the limit that it had found', async () => {
  const endpoint = await stage.addEndpoint(stage.organization.id, stage.receiver.url);
  // Long beside what a busy machine adds: a receiver that becomes slower gets fewer requests.
  respondAfter(200);
  await stage.publishMany(400);
  await until('all deliveries', async () => (await delivered()) === 400, 30_000);
  await stage.db.prisma.webhookEndpoint.update({
    where: { id: endpoint.id },
    data: { lastSuccess: new Date(0) },
  });
  await stage.publishMany(1);
  await until('the next delivery', async () => (await delivered()) === 401);
  const { inFlightLimit } = await endpoint.read();
  expect(inFlightLimit).toBeGreaterThan(16);

  await stage.stopSender();
  await stage.startSender();
  const held = hold(stage.receiver);
  await stage.publishMany(400);
  await until('as many requests', () => held.count() === inFlightLimit);
  held.release();
  await until('the other deliveries', async () => (await delivered()) === 801, 30_000);
}, 90_000);
