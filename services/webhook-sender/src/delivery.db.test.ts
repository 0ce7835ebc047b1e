import { createHmac } from 'node:crypto';
import { openDatabase } from '@holdfast/db/client';
import { recordAttempts } from '@holdfast/db/webhooks/attempts';
import { redeliver } from '@holdfast/db/webhooks/redelivery';
import { createLogger } from '@holdfast/kit/logger';
import { createRegistry } from '@holdfast/kit/metrics';
import { asRole, createTestDatabase } from '@holdfast/testkit/testDatabase';
import { until } from '@holdfast/testkit/until';
import { type Received, startReceiver, status } from '@holdfast/testkit/webhookReceiver';
import { describe, expect, it, jest } from '@jest/globals';
import { createClaims } from './delivery.ts';
import { webhookMetrics } from './metrics.ts';
import { useStage } from './testing/stage.ts';
import { judge } from './verdict.ts';

const stage = await useStage();

const deliveryOf = (eventId: string) => stage.db.prisma.delivery.findFirst({ where: { eventId } });
const inState = (eventId: string, state: string) =>
  until(`a delivery that is ${state}`, async () => {
    const delivery = await deliveryOf(eventId);
    return delivery?.state === state && delivery;
  });
const fannedOut = (eventId: string) =>
  until('the fan-out', () =>
    stage.db.prisma.event.findFirst({ where: { id: eventId, fannedOutAt: { not: null } } }),
  );

function expectSigned({ headers, body }: Received, secret: string) {
  const timestamp = headers['x-signature-timestamp'] as string;
  expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(20);
  const hex = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  expect(headers['x-signature']).toBe(hex);
  const { id } = JSON.parse(body);
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const base64 = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  expect(headers).toMatchObject({
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${base64}`,
  });
}

describe('delivery of an event', () => {
  it('is signed in both ways, and custom headers do not override ours', async () => {
    const endpoint = await stage.addEndpoint(stage.organization.id, stage.receiver.url, {
      headers: { Authorization: 'Bearer x', 'x-signature': 'forged', 'CONTENT-TYPE': 'text/plain' },
    });
    const { eventId, executionId } = await stage.publish('execution.completed');
    await inState(eventId, 'delivered');
    const [request] = stage.receiver.received;
    if (!request) throw new Error('nothing was received');
    expectSigned(request, endpoint.secret);
    expect(request.headers).toMatchObject({
      authorization: 'Bearer x',
      'content-type': 'application/json',
      'user-agent': 'Holdfast-Webhooks/1.0',
    });
    expect(JSON.parse(request.body)).toMatchObject({
      id: eventId,
      type: 'execution.completed',
      event_type: 'execution.completed',
      version: '1.0',
      organization_id: stage.organization.id,
      execution_id: executionId,
      data: { id: executionId, status: 'COMPLETED', result: { text: 'hello\u2028 wörld' }, latency_ms: 12 },
    });
    expect(await endpoint.read()).toMatchObject({ failureCount: 0, lastSuccess: expect.any(Date) });
    expect(await stage.db.prisma.deliveryAttempt.count({ where: { statusCode: 200, error: null } })).toBe(1);
  });

  it('goes to endpoints that subscribe to its type or to all types', async () => {
    await stage.addEndpoint(stage.organization.id, `${stage.receiver.url}/named`, {
      events: ['execution.failed'],
    });
    await stage.addEndpoint(stage.organization.id, `${stage.receiver.url}/all`);
    const started = await stage.publish('execution.started');
    const failed = await stage.publish('execution.failed');
    await until('three requests', () => stage.receiver.received.length === 3);
    const seen = stage.receiver.received.map(({ path, body }) => `${path} ${JSON.parse(body).id}`).sort();
    expect(seen).toEqual(
      [`/hook/all ${started.eventId}`, `/hook/all ${failed.eventId}`, `/hook/named ${failed.eventId}`].sort(),
    );
  });

  it("goes to the execution's webhook_url if it is terminal, signed with the organization's secret", async () => {
    const start = await stage.publish('execution.started', { webhookUrl: stage.receiver.url });
    const end = await stage.publish('execution.cancelled', { webhookUrl: stage.receiver.url });
    await inState(end.eventId, 'delivered');
    await fannedOut(start.eventId);
    expect(await deliveryOf(start.eventId)).toBeNull();
    expect(stage.receiver.received).toHaveLength(1);
    expectSigned(stage.receiver.received[0] as Received, stage.organization.secret);
  });

  it('stores no body for an event without receivers', async () => {
    await stage.addEndpoint(stage.organization.id, stage.receiver.url, { isActive: false });
    const { eventId } = await stage.publish('execution.completed');
    expect(await fannedOut(eventId)).toMatchObject({ body: null });
    expect(await deliveryOf(eventId)).toBeNull();
  });

  it('is posted once when many jobs name the event or the delivery', async () => {
    await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    let release = () => {};
    stage.receiver.respond = (_request, response) => {
      release = () => void response.writeHead(200).end();
    };
    const { eventId } = await stage.publish('execution.completed');
    await until('the request', () => stage.receiver.received.length === 1);
    const delivery = await deliveryOf(eventId);
    if (!delivery) throw new Error('no delivery');
    for (let n = 0; n < 20; n++) {
      await stage.fanout.add({ eventIds: [eventId] });
      await stage.deliver.add(delivery);
      if (n === 10) release();
    }
    await inState(eventId, 'delivered');
    const other = await stage.publish('execution.started');
    await until('the next event', () =>
      stage.receiver.received.some(({ body }) => body.includes(other.eventId)),
    );
    release();
    await inState(other.eventId, 'delivered');
    expect(stage.receiver.received.filter(({ body }) => body.includes(eventId))).toHaveLength(1);
    expect(await stage.db.prisma.delivery.count({ where: { eventId } })).toBe(1);
  });

  it('is found by a sweep when its job was lost', async () => {
    await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    const { eventId } = await stage.addEvent(stage.organization.id, 'execution.completed', {
      createdAt: new Date(Date.now() - 6000),
    });
    await inState(eventId, 'delivered');
    await stage.db.prisma.delivery.updateMany({
      where: { eventId },
      data: {
        state: 'pending',
        attempts: 0,
        finishedAt: null,
        nextAttemptAt: new Date(),
        createdAt: new Date(0),
      },
    });
    await inState(eventId, 'delivered');
    expect(stage.receiver.received).toHaveLength(2);
    expect(
      await stage.db.prisma.deliveryAttempt.count({
        where: { deliveryId: (await deliveryOf(eventId))?.id ?? '' },
      }),
    ).toBe(2);
  });

  it('is retried with the same bytes and id, signed anew, and fails after five attempts', async () => {
    stage.receiver.respond = status(500);
    const { eventId } = await stage.publish('execution.completed', { webhookUrl: stage.receiver.url });
    const delivery = await inState(eventId, 'failed');
    expect(delivery).toMatchObject({ attempts: 5, nextAttemptAt: null });
    expect(stage.receiver.received).toHaveLength(5);
    expect(new Set(stage.receiver.received.map(({ body }) => body)).size).toBe(1);
    for (const request of stage.receiver.received) expectSigned(request, stage.organization.secret);
    const gaps = stage.receiver.received
      .slice(1)
      .map(({ atMs }, n) => atMs - (stage.receiver.received[n]?.atMs ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(790);
    // A busy machine may hold up a retry, but not half of them.
    expect(gaps.toSorted((a, b) => a - b)[1]).toBeLessThan(5000);
  });

  it('treats a redirect as a failure and does not follow it', async () => {
    const elsewhere = await startReceiver();
    stage.receiver.respond = status(302, { Location: elsewhere.url });
    const { eventId } = await stage.publish('execution.completed', { webhookUrl: stage.receiver.url });
    await inState(eventId, 'failed');
    expect(elsewhere.received).toHaveLength(0);
    await elsewhere.close();
  });

  it('is not retried before Retry-After', async () => {
    stage.receiver.respond = status(503, { 'Retry-After': '3' });
    const { eventId } = await stage.publish('execution.completed', { webhookUrl: stage.receiver.url });
    await until('the first attempt', () => stage.receiver.received.length === 1);
    stage.receiver.respond = status(200);
    await inState(eventId, 'delivered');
    const [first, second] = stage.receiver.received;
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(2900);
  });

  it('fails at once when a webhook_url responds with 410', async () => {
    stage.receiver.respond = status(410);
    const { eventId } = await stage.publish('execution.completed', { webhookUrl: stage.receiver.url });
    expect(await inState(eventId, 'failed')).toMatchObject({ attempts: 1 });
  });

  it('expires after 24 hours without a request', async () => {
    await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    const { eventId } = await stage.publish('execution.completed', {
      createdAt: new Date(Date.now() - 25 * 3_600_000),
    });
    await until('the delivery', () => deliveryOf(eventId));
    await until('the expiry', async () => {
      await stage.sender().sweepNow();
      return (await deliveryOf(eventId))?.state === 'expired';
    });
    expect(stage.receiver.received).toHaveLength(0);
  });

  it('is repeated when the sender died before it recorded the response', async () => {
    await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    const { eventId } = await stage.publish('execution.completed');
    const { id } = await inState(eventId, 'delivered');
    // The state that a killed sender leaves, after its lease.
    await stage.db.prisma.delivery.update({
      where: { id },
      data: {
        state: 'pending',
        finishedAt: null,
        nextAttemptAt: new Date(0),
        leaseUntil: new Date(Date.now() - 1),
      },
    });
    expect(await inState(eventId, 'delivered')).toMatchObject({ attempts: 2 });
    expect(stage.receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([eventId, eventId]);
  });

  it('has its last attempt again when the sender stopped during it', async () => {
    const { eventId } = await stage.publish('execution.completed', { webhookUrl: stage.receiver.url });
    const { id } = await inState(eventId, 'delivered');
    const leaseUntil = new Date(Date.now() + 60_000);
    const last = { state: 'pending', attempts: 5, finishedAt: null, nextAttemptAt: new Date(0), leaseUntil };
    await stage.db.prisma.delivery.update({ where: { id }, data: last });
    const stopped = { ok: false, stage: 'aborted', message: 'aborted', durationMs: 1 } as const;
    const to = { attempts: 5, endpointId: null };
    const started = { id, attempts: 5, number: 5, leaseUntil, startedAt: new Date() };
    await recordAttempts(
      stage.db,
      [{ ...started, ...to, isProbe: false, inFlightLimit: null, ...judge(stopped, to, [0, 1, 1, 1, 1]) }],
      { failuresToNotify: 4, failuresToDeactivate: 10, maxProbeDelayS: 60 },
    );
    expect(await inState(eventId, 'delivered')).toMatchObject({ attempts: 5 });
    expect(stage.receiver.received).toHaveLength(2);
  });

  it('counts as a failure when the egress policy refuses the address', async () => {
    const endpoint = await stage.addEndpoint(stage.organization.id, 'http://10.0.0.1/hook');
    await stage.publish('execution.completed');
    await until('the failure', async () => (await endpoint.read()).failureCount === 1);
    expect((await endpoint.read()).lastError).toMatch(/^policy: /);
  });

  it('has all its attempts again when it is sent on request before its next one', async () => {
    stage.receiver.respond = status(500);
    const { eventId } = await stage.publish('execution.completed', { webhookUrl: stage.receiver.url });
    const { id, lane } = await inState(eventId, 'failed');
    const waiting = {
      state: 'pending',
      attempts: 4,
      finishedAt: null,
      nextAttemptAt: new Date('2999-01-01'),
    };
    await stage.db.prisma.delivery.update({ where: { id }, data: waiting });
    await redeliver(stage.db, stage.organization.id, id);
    await stage.deliver.add({ lane, organizationId: stage.organization.id });
    await inState(eventId, 'failed');
    expect(stage.receiver.received).toHaveLength(10);
  });

  it('is sent again on request after all its attempts', async () => {
    await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    const { eventId } = await stage.publish('execution.completed');
    const { id, lane } = await inState(eventId, 'delivered');
    await stage.db.prisma.delivery.update({ where: { id }, data: { state: 'failed', attempts: 5 } });
    await redeliver(stage.db, stage.organization.id, id);
    await stage.deliver.add({ lane, organizationId: stage.organization.id });
    expect(await inState(eventId, 'delivered')).toMatchObject({ attempts: 1 });
    const rows = await stage.db.prisma.deliveryAttempt.findMany({ where: { deliveryId: id } });
    expect(rows.map(({ number, statusCode }) => [number, statusCode])).toEqual([
      [1, 200],
      [2, 200],
    ]);
  });
});

describe('a claim', () => {
  it('that fails is logged', async () => {
    const database = await createTestDatabase();
    // A role without the rights to claim.
    const url = asRole(database.url, 'holdfast_dispatcher');
    const db = openDatabase({ url, poolSize: 1, applicationName: 'test' });
    const log = createLogger('test', 'silent');
    const error = jest.spyOn(log, 'error');
    const metrics = webhookMetrics(createRegistry('test'));
    const claim = createClaims({ db, maxAttempts: 5, bodyBytes: 1, senders: () => 1, metrics, log });
    await expect(claim({ lane: 'wh_1', slots: 1, ahead: 0 })).rejects.toThrow('permission denied');
    expect(error).toHaveBeenCalledTimes(1);
    await db.close();
    await database.drop();
  });
});
