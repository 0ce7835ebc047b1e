import { createHmac } from 'node:crypto';
import { redeliver } from '@holdfast/db/webhooks/redelivery';
import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { testRedisUrl } from '@holdfast/testkit/testRedis';
import { until } from '@holdfast/testkit/until';
import { type Received, type Receiver, startReceiver, status } from '@holdfast/testkit/webhookReceiver';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openStage, type Stage } from './testing/stage.ts';

let stage: Stage;
let receiver: Receiver;
let organization: { id: string; secret: string };

beforeAll(async () => {
  stage = await openStage(await createTestDatabase(), testRedisUrl());
});
afterAll(() => stage.close());

beforeEach(async () => {
  receiver = await startReceiver();
  organization = await stage.addOrganization();
});
afterEach(() => receiver.close());

const add = async (...args: Parameters<Stage['addEvent']> extends [string, ...infer Rest] ? Rest : never) => {
  const event = await stage.addEvent(organization.id, ...args);
  await stage.fanout.add({ eventIds: [event.eventId] });
  return event;
};

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
  it('posts the event, signed in both ways, with the custom headers under ours', async () => {
    const endpoint = await stage.addEndpoint(organization.id, receiver.url, {
      headers: { Authorization: 'Bearer x', 'x-signature': 'forged', 'CONTENT-TYPE': 'text/plain' },
    });
    const { eventId, executionId } = await add('execution.completed');
    await inState(eventId, 'delivered');
    const [request] = receiver.received;
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
      organization_id: organization.id,
      execution_id: executionId,
      data: { id: executionId, status: 'COMPLETED', result: { text: 'hello\u2028 wörld' }, latency_ms: 12 },
    });
    expect(await endpoint.now()).toMatchObject({ failureCount: 0, lastSuccess: expect.any(Date) });
    expect(await stage.db.prisma.deliveryAttempt.count({ where: { statusCode: 200, error: null } })).toBe(1);
  });

  it('sends an endpoint the types it names alone, and all to one that names none', async () => {
    await stage.addEndpoint(organization.id, `${receiver.url}/named`, { events: ['execution.failed'] });
    await stage.addEndpoint(organization.id, `${receiver.url}/all`);
    const started = await add('execution.started');
    const failed = await add('execution.failed');
    await until('three requests', () => receiver.received.length === 3);
    const seen = receiver.received.map(({ path, body }) => `${path} ${JSON.parse(body).id}`).sort();
    expect(seen).toEqual(
      [`/hook/all ${started.eventId}`, `/hook/all ${failed.eventId}`, `/hook/named ${failed.eventId}`].sort(),
    );
  });

  it("sends endings to the execution's webhook_url, signed with the organization's secret", async () => {
    const start = await add('execution.started', { webhookUrl: receiver.url });
    const end = await add('execution.cancelled', { webhookUrl: receiver.url });
    await inState(end.eventId, 'delivered');
    await fannedOut(start.eventId);
    expect(await deliveryOf(start.eventId)).toBeNull();
    expect(receiver.received).toHaveLength(1);
    expectSigned(receiver.received[0] as Received, organization.secret);
  });

  it('fixes no body for an event that nobody receives', async () => {
    await stage.addEndpoint(organization.id, receiver.url, { isActive: false });
    const { eventId } = await add('execution.completed');
    expect(await fannedOut(eventId)).toMatchObject({ body: null });
    expect(await deliveryOf(eventId)).toBeNull();
  });

  it('posts once, however many jobs name the event or the delivery', async () => {
    await stage.addEndpoint(organization.id, receiver.url);
    let release = () => {};
    receiver.answer = (_request, response) => {
      release = () => void response.writeHead(200).end();
    };
    const { eventId } = await add('execution.completed');
    await until('the request', () => receiver.received.length === 1);
    const delivery = await deliveryOf(eventId);
    if (!delivery) throw new Error('no delivery');
    for (let n = 0; n < 20; n++) {
      await stage.fanout.add({ eventIds: [eventId] });
      await stage.deliver.add(delivery);
      if (n === 10) release();
    }
    await inState(eventId, 'delivered');
    const other = await add('execution.started');
    await until('the next event', () => receiver.received.some(({ body }) => body.includes(other.eventId)));
    release();
    await inState(other.eventId, 'delivered');
    expect(receiver.received.filter(({ body }) => body.includes(eventId))).toHaveLength(1);
    expect(await stage.db.prisma.delivery.count({ where: { eventId } })).toBe(1);
  });

  it('finds by its sweeps what no job names', async () => {
    await stage.addEndpoint(organization.id, receiver.url);
    const { eventId } = await stage.addEvent(organization.id, 'execution.completed', {
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
    expect(receiver.received).toHaveLength(2);
    expect(
      await stage.db.prisma.deliveryAttempt.count({
        where: { deliveryId: (await deliveryOf(eventId))?.id ?? '' },
      }),
    ).toBe(2);
  });

  it('retries with the same bytes and id, signed anew, and gives up after five attempts', async () => {
    receiver.answer = status(500);
    const { eventId } = await add('execution.completed', { webhookUrl: receiver.url });
    const delivery = await inState(eventId, 'failed');
    expect(delivery).toMatchObject({ attempts: 5, nextAttemptAt: null });
    expect(receiver.received).toHaveLength(5);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    for (const request of receiver.received) expectSigned(request, organization.secret);
    const gaps = receiver.received.slice(1).map(({ atMs }, n) => atMs - (receiver.received[n]?.atMs ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(790);
    expect(Math.max(...gaps)).toBeLessThan(5000);
  });

  it('takes a redirect for a failure and does not follow it', async () => {
    const elsewhere = await startReceiver();
    receiver.answer = status(302, { Location: elsewhere.url });
    const { eventId } = await add('execution.completed', { webhookUrl: receiver.url });
    await inState(eventId, 'failed');
    expect(elsewhere.received).toHaveLength(0);
    await elsewhere.close();
  });

  it('waits as long as Retry-After asks', async () => {
    receiver.answer = status(503, { 'Retry-After': '3' });
    const { eventId } = await add('execution.completed', { webhookUrl: receiver.url });
    await until('the first attempt', () => receiver.received.length === 1);
    receiver.answer = status(200);
    await inState(eventId, 'delivered');
    const [first, second] = receiver.received;
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(2900);
  });

  it('gives up at once on a webhook_url that is gone', async () => {
    receiver.answer = status(410);
    const { eventId } = await add('execution.completed', { webhookUrl: receiver.url });
    expect(await inState(eventId, 'failed')).toMatchObject({ attempts: 1 });
  });

  it('sends nothing after 24 hours', async () => {
    await stage.addEndpoint(organization.id, receiver.url);
    const { eventId } = await add('execution.completed', {
      createdAt: new Date(Date.now() - 25 * 3_600_000),
    });
    await until('the delivery', () => deliveryOf(eventId));
    await until('the expiry', async () => {
      await stage.sender().sweepNow();
      return (await deliveryOf(eventId))?.state === 'expired';
    });
    expect(receiver.received).toHaveLength(0);
  });

  it('sends the same event again when the sender died before it could record the answer', async () => {
    await stage.addEndpoint(organization.id, receiver.url);
    const { eventId } = await add('execution.completed');
    const { id } = await inState(eventId, 'delivered');
    // As a killed sender leaves it, once its lease has run out.
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
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([eventId, eventId]);
  });

  it('does not dial what the egress policy refuses, and counts it as a failure', async () => {
    const endpoint = await stage.addEndpoint(organization.id, 'http://10.0.0.1/hook');
    await add('execution.completed');
    await until('the failure', async () => (await endpoint.now()).failureCount === 1);
    expect((await endpoint.now()).lastError).toMatch(/^policy: /);
  });

  it('does not hold it against an endpoint that we can not open its secret', async () => {
    const endpoint = await stage.addEndpoint(organization.id, receiver.url);
    await stage.db.prisma.webhookEndpoint.update({
      where: { id: endpoint.id },
      data: { secret: 'lost-key.AAAA' },
    });
    const { eventId } = await add('execution.completed');
    await until('the attempt', async () => (await deliveryOf(eventId))?.attempts === 1);
    await stage.db.prisma.webhookEndpoint.update({
      where: { id: endpoint.id },
      data: { secret: stage.box.seal(endpoint.secret) },
    });
    expect(await inState(eventId, 'delivered')).toMatchObject({ attempts: 2 });
    expect(receiver.received).toHaveLength(1);
    expect(await endpoint.now()).toMatchObject({ lastFailure: null, failureCount: 0 });
  });

  it('sends a delivery again on request, though all its attempts are used up', async () => {
    await stage.addEndpoint(organization.id, receiver.url);
    const { eventId } = await add('execution.completed');
    const { id, lane } = await inState(eventId, 'delivered');
    await stage.db.prisma.delivery.update({ where: { id }, data: { state: 'failed', attempts: 5 } });
    await redeliver(stage.db, organization.id, id);
    await stage.deliver.add({ lane, organizationId: organization.id });
    expect(await inState(eventId, 'delivered')).toMatchObject({ attempts: 1 });
    const rows = await stage.db.prisma.deliveryAttempt.findMany({ where: { deliveryId: id } });
    expect(rows.map(({ number, statusCode }) => [number, statusCode])).toEqual([
      [1, 200],
      [2, 200],
    ]);
  });
});
