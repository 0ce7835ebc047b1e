import { newId } from '@holdfast/domain/ids';
import { limits } from '@holdfast/domain/limits';
import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { testRedisUrl } from '@holdfast/testkit/testRedis';
import { until } from '@holdfast/testkit/until';
import { type Receiver, startReceiver, status } from '@holdfast/testkit/webhookReceiver';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openStage, type Stage } from './testing/stage.ts';

let stage: Stage;
let receiver: Receiver;
let organizationId: string;

beforeAll(async () => {
  stage = await openStage(await createTestDatabase(), testRedisUrl());
});
afterAll(() => stage.close());

beforeEach(async () => {
  receiver = await startReceiver();
  organizationId = (await stage.addOrganization()).id;
});
afterEach(() => receiver.close());

type Fields = Parameters<Stage['addEvent']>[2];

async function add(type: Parameters<Stage['addEvent']>[1], fields: Fields = {}) {
  const event = await stage.addEvent(organizationId, type, fields);
  await stage.fanout.add({ eventIds: [event.eventId] });
  return event;
}

const allDelivered = (count: number) =>
  until('all deliveries', async () => {
    const deliveries = await stage.db.prisma.delivery.findMany({ where: { organizationId } });
    return deliveries.length === count && deliveries.every(({ state }) => state === 'delivered');
  });
const seen = () => receiver.received.map(({ path, body }) => `${path} ${JSON.parse(body).type}`).sort();

describe('what an endpoint asks for', () => {
  it('is all events of executions with execution.*, and none of them with endpoint.*', async () => {
    await stage.addEndpoint(organizationId, `${receiver.url}/a`, { events: ['execution.*'] });
    await stage.addEndpoint(organizationId, `${receiver.url}/b`, { events: ['endpoint.*'] });
    await add('execution.started');
    await add('execution.expired');
    await allDelivered(2);
    expect(seen()).toEqual(['/hook/a execution.expired', '/hook/a execution.started']);
  });

  it('is the events of the models it names alone', async () => {
    const [text, image] = ['sandbox-text', 'sandbox-image'];
    await stage.addEndpoint(organizationId, `${receiver.url}/text`, { models: [text] });
    await stage.addEndpoint(organizationId, `${receiver.url}/both`, { models: [text, image] });
    await stage.addEndpoint(organizationId, `${receiver.url}/failed-image`, {
      models: [image],
      events: ['execution.failed'],
    });
    await add('execution.started', { model: text });
    await add('execution.failed', { model: image });
    await allDelivered(4);
    expect(seen()).toEqual([
      '/hook/both execution.failed',
      '/hook/both execution.started',
      '/hook/failed-image execution.failed',
      '/hook/text execution.started',
    ]);
  });
});

describe('a thin payload', () => {
  it('is ids and status alone, the same bytes on a retry, while others get the event in full', async () => {
    await stage.addEndpoint(organizationId, `${receiver.url}/thin`, { payload: 'thin' });
    await stage.addEndpoint(organizationId, `${receiver.url}/full`);
    receiver.answer = ({ path }, response) => {
      const isFirst = receiver.received.filter((one) => one.path === path).length === 1;
      response.writeHead(isFirst && path === '/hook/thin' ? 500 : 200).end();
    };
    const { eventId, executionId } = await add('execution.completed');
    await allDelivered(2);
    const bodies = (path: string) =>
      receiver.received.filter((one) => one.path === path).map(({ body }) => body);
    const [first = '', ...others] = bodies('/hook/thin');
    expect(others).toEqual([first]);
    const { timestamp, ...rest } = JSON.parse(first);
    expect(rest).toEqual({
      id: eventId,
      type: 'execution.completed',
      event_type: 'execution.completed',
      version: '1.0',
      organization_id: organizationId,
      execution_id: executionId,
      data: { id: executionId, status: 'COMPLETED' },
    });
    const [full = ''] = bodies('/hook/full');
    expect(JSON.parse(full)).toMatchObject({ id: eventId, timestamp, data: { result: expect.anything() } });
  });

  it('is none of a test call', async () => {
    const { id: endpointId } = await stage.addEndpoint(organizationId, receiver.url, { payload: 'thin' });
    await stage.testCalls.request({ requestId: newId('req'), endpointId, organizationId }, 10_000);
    expect(JSON.parse(receiver.received[0]?.body ?? '{}')).toMatchObject({
      type: 'webhook.test',
      data: { message: expect.any(String) },
    });
  });
});

describe('an event that is too large', () => {
  it('is sent thin, and says so', async () => {
    await stage.addEndpoint(organizationId, `${receiver.url}/full`);
    await stage.addEndpoint(organizationId, `${receiver.url}/thin`, { payload: 'thin' });
    const outputText = 'x'.repeat(limits.webhookBodyBytes);
    const { executionId } = await add('execution.completed', {
      outputText,
      webhookUrl: `${receiver.url}/url`,
    });
    await allDelivered(3);
    const bodies = new Map(receiver.received.map(({ path, body }) => [path, JSON.parse(body)]));
    const data = { id: executionId, status: 'COMPLETED' };
    expect(bodies.get('/hook/full')).toMatchObject({ truncated: true, data });
    expect(bodies.get('/hook/url')).toEqual(bodies.get('/hook/full'));
    const { truncated, ...rest } = bodies.get('/hook/full');
    expect(bodies.get('/hook/thin')).toEqual(rest);
    expect(truncated).toBe(true);
  });

  it('is one of more than 256 KiB, and not one of just that', async () => {
    await stage.addEndpoint(organizationId, receiver.url);
    await add('execution.completed', { outputText: 'x'.repeat(1000) });
    await allDelivered(1);
    const around = Buffer.byteLength(receiver.received[0]?.body ?? '') - 1000;
    // Two bytes in UTF-8, one character.
    const outputText = `${'x'.repeat(limits.webhookBodyBytes - around - 2)}ö`;
    await add('execution.completed', { outputText });
    await allDelivered(2);
    await add('execution.completed', { outputText: `${outputText}x` });
    await allDelivered(3);
    const sizes = receiver.received.slice(1).map(({ body }) => Buffer.byteLength(body));
    expect(sizes[0]).toBe(limits.webhookBodyBytes);
    expect(sizes[1]).toBeLessThan(1000);
  });
});

describe('an endpoint that asks for time', () => {
  it('with 429 and Retry-After is left alone for so long', async () => {
    const endpoint = await stage.addEndpoint(organizationId, receiver.url);
    receiver.answer = status(429, { 'Retry-After': '3' });
    await add('execution.completed');
    await until('the failure', async () => (await endpoint.now()).failureCount === 1);
    receiver.answer = status(200);
    await add('execution.failed');
    await allDelivered(2);
    const [first, second] = receiver.received;
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(2900);
    expect(await endpoint.now()).toMatchObject({ failureCount: 0, lastError: 'answered 429' });
  });
});
