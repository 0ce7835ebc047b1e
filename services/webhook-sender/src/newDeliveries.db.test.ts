import { startExecutions } from '@holdfast/db/executions/start';
import { removeWebhookEndpoint } from '@holdfast/db/webhooks/endpoints';
import { readEventsToFanOut } from '@holdfast/db/webhooks/fanOut';
import { claimLanes, releaseClaims } from '@holdfast/db/webhooks/lanes';
import { readNewDeliveries } from '@holdfast/db/webhooks/newDeliveries';
import { newId } from '@holdfast/domain/ids';
import { until } from '@holdfast/testkit/until';
import { describe, expect, it } from '@jest/globals';
import { createFanOut } from './fanOut.ts';
import { createLanes } from './lanes.ts';
import { createNewDeliveries } from './newDeliveries.ts';
import { hold, openStage, type Stage, useStage } from './testing/stage.ts';

const stage = await useStage();

type Started = { executionId: string; deliveryIds: string[] };

/** Starts executions, whose events are written with their deliveries. */
async function startMany(count: number, { db, organization }: Pick<Stage, 'db' | 'organization'> = stage) {
  const starts = Array.from({ length: count }, () => ({
    id: newId('exec'),
    connection: 'sandbox',
    target: 'm',
  }));
  await db.prisma.execution.createMany({
    data: starts.map(({ id }) => ({
      id,
      organizationId: organization.id,
      model: 'sandbox-text',
      status: 'PENDING',
      input: {},
      holdAmount: '0.01',
      estimatedCost: '0.005',
      expiresAt: new Date(Date.now() + 3_600_000),
    })),
  });
  const started = await startExecutions(db, starts, 30);
  expect(started.every(({ deliveryIds }) => deliveryIds.length > 0)).toBe(true);
  return started.map(({ id, deliveryIds }): Started => ({ executionId: id, deliveryIds }));
}

const hint = (started: Started[]) =>
  stage.fanout.add({ eventIds: [], deliveryIds: started.flatMap(({ deliveryIds }) => deliveryIds) });

const delivered = () => stage.count({ state: 'delivered' });
const received = () => stage.receiver.received.map(({ headers }) => headers['webhook-id']);

/** Makes the deliveries older, as if they had been written earlier. */
async function age(started: Started[], seconds: number): Promise<void> {
  await stage.db.pool.query(
    `UPDATE deliveries SET created_at = created_at - $2 * interval '1 second',
       lease_until = lease_until - $2 * interval '1 second', next_attempt_at = next_attempt_at - $2 * interval '1 second'
     WHERE id = ANY ($1)`,
    [started.flatMap(({ deliveryIds }) => deliveryIds), seconds],
  );
}

describe('a delivery that was written with its event', () => {
  it('is sent once, after one hint or several, with one attempt in its log', async () => {
    await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    const started = await startMany(20);
    await hint(started);
    await until('all deliveries', async () => (await delivered()) === 20);
    await hint(started);
    const [last] = await startMany(1);
    await hint(last ? [last] : []);
    await until('the last delivery', async () => (await delivered()) === 21);
    expect(received()).toHaveLength(21);
    const { body } = stage.receiver.received.at(-1) ?? {};
    expect(JSON.parse(String(body))).toMatchObject({
      type: 'execution.started',
      execution_id: last?.executionId,
      data: { status: 'PROCESSING' },
    });
    const { rows } = await stage.db.pool.query(
      `SELECT count(*)::int AS attempts, max(d.attempts) AS most, bool_and(a.started_at >= d.created_at) AS "isLater"
       FROM delivery_attempts a JOIN deliveries d ON d.id = a.delivery_id WHERE d.organization_id = $1`,
      [stage.organization.id],
    );
    expect(rows).toEqual([{ attempts: 21, most: 1, isLater: true }]);
  });

  it('is sent once when its hint comes again before its request is marked', async () => {
    await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    const held = hold(stage.receiver);
    const started = await startMany(1);
    await hint(started);
    await until('its mark', async () => (await stage.count({ attempts: 1 })) === 1);
    // As if the mark had not been written yet.
    await stage.db.pool.query(
      `UPDATE deliveries SET attempts = 0, lease_until = created_at + interval '8 seconds' WHERE id = ANY ($1)`,
      [started.flatMap(({ deliveryIds }) => deliveryIds)],
    );
    const last = await startMany(1);
    await hint([...started, ...last]);
    await until('the last request', () => {
      const ids = stage.receiver.received.map(({ body }) => JSON.parse(body).execution_id);
      return ids.includes(last[0]?.executionId);
    });
    held.release();
    await until('the last delivery', async () => (await delivered()) === 2);
    expect(received()).toHaveLength(2);
  });

  it('is sent by a sweep when its hint is lost, and its late hint does nothing', async () => {
    await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    const started = await startMany(3);
    await stage.sender().sweepNow();
    expect(received()).toEqual([]);
    await age(started, 9);
    await hint(started);
    await until('all deliveries', async () => (await delivered()) === 3);
    expect(received()).toHaveLength(3);
  });

  it('is not sent by its hint once another sender has claimed it', async () => {
    const endpoint = await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    const started = await startMany(1);
    const held = hold(stage.receiver);
    await stage.stopSender();
    await age(started, 9);
    const claims = await claimLanes(stage.db, [{ lane: endpoint.id, slots: 0, ahead: 1 }], {
      leaseS: 45,
      maxAttempts: 5,
      senders: 1,
      bodyBytes: 1,
    });
    expect(claims.get(endpoint.id)?.claimed).toHaveLength(1);
    await stage.startSender();
    await hint(started);
    const [free] = await startMany(1);
    await hint(free ? [free] : []);
    await until('the other request', () => held.count() === 1);
    expect(JSON.parse(String(stage.receiver.received[0]?.body)).execution_id).toBe(free?.executionId);
    held.release();
    await until('the other delivery', async () => (await delivered()) === 1);
  });

  it('is counted and leased for longer while its request is open, and its failure is recorded', async () => {
    await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    const held = hold(stage.receiver);
    const [started] = await startMany(1);
    await hint(started ? [started] : []);
    await until('a longer lease', async () => {
      const count = await stage.count({ attempts: 1, leaseUntil: { gt: new Date(Date.now() + 30_000) } });
      return count === 1 && held.count() === 1;
    });
    stage.receiver.respond = (_request, response) => void response.writeHead(204).end();
    held.fail();
    await until('the second attempt', async () => (await delivered()) === 1);
    const attempts = await stage.db.prisma.deliveryAttempt.findMany({
      where: { deliveryId: { in: started?.deliveryIds ?? [] } },
      orderBy: { number: 'asc' },
    });
    expect(attempts.map(({ number, statusCode }) => [number, statusCode])).toEqual([
      [1, 500],
      [2, 204],
    ]);
  });

  it('is given back to its lane when there is no slot for it', async () => {
    await stage.addEndpoint(stage.organization.id, stage.receiver.url, { maxInFlight: 1 });
    const held = hold(stage.receiver);
    const started = await startMany(5);
    await hint(started);
    await until('deliveries given back, or claimed ahead since', async () => {
      const leases = [{ leaseUntil: null }, { leaseUntil: { gt: new Date(Date.now() + 15_000) } }];
      const free = await stage.count({ state: 'pending', attempts: 0, OR: leases });
      return held.count() === 1 && free === 4;
    });
    held.release();
    await until('all deliveries', async () => (await delivered()) === 5);
    expect(new Set(received()).size).toBe(5);
    expect(received()).toHaveLength(5);
  });

  it('is not sent to an endpoint that was switched off meanwhile, nor after its execution was erased', async () => {
    const endpoint = await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    const off = await startMany(1);
    const { id } = endpoint;
    await stage.db.prisma.webhookEndpoint.update({ where: { id }, data: { isActive: false } });
    await hint(off);
    await stage.addEndpoint(stage.organization.id, stage.otherReceiver.url);
    const erased = await startMany(1);
    await stage.db.pool.query('UPDATE events SET body = NULL WHERE execution_id = $1', [
      erased[0]?.executionId,
    ]);
    await hint(erased);
    const last = await startMany(1);
    await hint(last);
    await until('the last delivery', async () => (await delivered()) === 1);
    expect(received()).toEqual([]);
    expect(stage.otherReceiver.received).toHaveLength(1);
  });

  it('has no next attempt when its endpoint was deleted while it waited', async () => {
    const { id } = await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    await stage.stopSender();
    await startMany(1);
    const claims = await stage.db.prisma.delivery.findMany({ where: { endpointId: id } });
    await removeWebhookEndpoint(stage.db, stage.organization.id, id);
    await releaseClaims(stage.db, claims);
    expect(await stage.count({ state: 'failed', nextAttemptAt: null })).toBe(1);
    await stage.startSender();
  });

  it('goes to the URL of its endpoint, whatever a service without the secrets wrote as its own', async () => {
    await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    const [hinted, swept] = [await startMany(1), await startMany(1)];
    await stage.db.pool.query('UPDATE deliveries SET url = $1 WHERE organization_id = $2', [
      stage.otherReceiver.url,
      stage.organization.id,
    ]);
    await hint(hinted);
    await until('the first delivery', async () => (await delivered()) === 1);
    await age(swept, 9);
    await until('the second delivery', async () => (await delivered()) === 2);
    expect(received()).toHaveLength(2);
    expect(stage.otherReceiver.received).toEqual([]);
  });

  it('waits for the configured delay of first attempts', async () => {
    await stage.stopSender();
    const later = await openStage(
      { url: stage.config.DATABASE_URL, drop: async () => {} },
      stage.config.REDIS_URL,
      {
        WEBHOOK_RETRY_DELAYS_S: '60',
      },
    );
    const endpoint = await later.addEndpoint(stage.organization.id, stage.receiver.url);
    const paced = await later.addEndpoint(stage.organization.id, stage.receiver.url, { maxPerSecond: 10 });
    await hint(await startMany(2));
    const soon = { nextAttemptAt: { lt: new Date(Date.now() + 30_000) } };
    await until('deliveries given back', async () => (await stage.count(soon)) === 0);
    const deliveries = await stage.db.prisma.delivery.findMany({
      where: { endpointId: { in: [endpoint.id, paced.id] } },
    });
    expect(deliveries).toHaveLength(4);
    for (const { nextAttemptAt, createdAt } of deliveries) {
      expect((nextAttemptAt?.getTime() ?? 0) - createdAt.getTime()).toBe(60_000);
    }
    await later.close();
    await stage.startSender();
    expect(received()).toEqual([]);
  });
});

describe('a batch whose bodies are too large together', () => {
  /** Reads one body at a time, and records the attempts in `sent`. */
  function sendingOne() {
    const sent: string[] = [];
    const lanes = createLanes({
      size: 100,
      senders: () => 1,
      claim: async () => null,
      attempt: async ({ id }) => sent.push(id) > 0,
      giveBack: async () => {},
      handOver: () => {},
    });
    const { db, log } = stage;
    const onWritten = () => {};
    return { sent, args: { db, log, firstDelayS: 0, lanes, bodyBytes: 1, tracing: null, onWritten } };
  }

  it('is sent in parts when its deliveries were written with their events', async () => {
    const { sent, args } = sendingOne();
    await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    const ids = (await startMany(3)).flatMap(({ deliveryIds }) => deliveryIds);
    expect(await readNewDeliveries(stage.db, ids, 1)).toHaveLength(1);
    const { add } = createNewDeliveries({ ...args, giveBack: async () => {} });
    await Promise.all(ids.map(add));
    expect(sent.toSorted()).toEqual(ids.toSorted());
  });

  it('is fanned out in parts', async () => {
    const { sent, args } = sendingOne();
    const { id: organizationId } = stage.organization;
    const addEvent = () =>
      stage.addEvent(organizationId, 'execution.completed', { webhookUrl: stage.receiver.url });
    const ids = (await Promise.all([addEvent(), addEvent(), addEvent()])).map(({ eventId }) => eventId);
    expect(await readEventsToFanOut(stage.db, ids, 1)).toHaveLength(1);
    const { add } = createFanOut(args);
    await Promise.all(ids.map(add));
    expect(sent).toHaveLength(3);
  });
});
