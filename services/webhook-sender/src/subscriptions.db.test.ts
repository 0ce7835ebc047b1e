import { newId } from '@holdfast/domain/ids';
import { limits } from '@holdfast/domain/limits';
import { openaiVideo } from '@holdfast/domain/webhookDialect';
import { until } from '@holdfast/testkit/until';
import { status } from '@holdfast/testkit/webhookReceiver';
import { describe, expect, it } from '@jest/globals';
import { useStage } from './testing/stage.ts';

const stage = await useStage();

const allDelivered = (count: number) =>
  until('all deliveries', async () => {
    const deliveries = await stage.db.prisma.delivery.findMany({
      where: { organizationId: stage.organization.id },
    });
    return deliveries.length === count && deliveries.every(({ state }) => state === 'delivered');
  });
const seen = () => stage.receiver.received.map(({ path, body }) => `${path} ${JSON.parse(body).type}`).sort();

describe('the subscription of an endpoint', () => {
  it('selects all events of executions by execution.* and none of them by endpoint.*', async () => {
    await stage.addEndpoint(stage.organization.id, `${stage.receiver.url}/a`, { events: ['execution.*'] });
    await stage.addEndpoint(stage.organization.id, `${stage.receiver.url}/b`, { events: ['endpoint.*'] });
    await stage.publish('execution.started');
    await stage.publish('execution.expired');
    await allDelivered(2);
    expect(seen()).toEqual(['/hook/a execution.expired', '/hook/a execution.started']);
  });

  it('selects only events of its models', async () => {
    const [text, image] = ['sandbox-text', 'sandbox-image'];
    await stage.addEndpoint(stage.organization.id, `${stage.receiver.url}/text`, { models: [text] });
    await stage.addEndpoint(stage.organization.id, `${stage.receiver.url}/both`, { models: [text, image] });
    await stage.addEndpoint(stage.organization.id, `${stage.receiver.url}/failed-image`, {
      models: [image],
      events: ['execution.failed'],
    });
    await stage.publish('execution.started', { model: text });
    await stage.publish('execution.failed', { model: image });
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
  it('contains ids and status only, the same bytes on a retry, while others get the full event', async () => {
    await stage.addEndpoint(stage.organization.id, `${stage.receiver.url}/thin`, { payload: 'thin' });
    await stage.addEndpoint(stage.organization.id, `${stage.receiver.url}/full`);
    stage.receiver.respond = ({ path }, response) => {
      const isFirst = stage.receiver.received.filter((one) => one.path === path).length === 1;
      response.writeHead(isFirst && path === '/hook/thin' ? 500 : 200).end();
    };
    const { eventId, executionId } = await stage.publish('execution.completed');
    await allDelivered(2);
    const bodies = (path: string) =>
      stage.receiver.received.filter((one) => one.path === path).map(({ body }) => body);
    const [first = '', ...others] = bodies('/hook/thin');
    expect(others).toEqual([first]);
    const { timestamp, ...rest } = JSON.parse(first);
    expect(rest).toEqual({
      id: eventId,
      type: 'execution.completed',
      event_type: 'execution.completed',
      version: '1.0',
      organization_id: stage.organization.id,
      execution_id: executionId,
      data: { id: executionId, status: 'COMPLETED' },
    });
    const [full = ''] = bodies('/hook/full');
    expect(JSON.parse(full)).toMatchObject({ id: eventId, timestamp, data: { result: expect.anything() } });
  });

  it('does not apply to a test call', async () => {
    const { id: endpointId } = await stage.addEndpoint(stage.organization.id, stage.receiver.url, {
      payload: 'thin',
    });
    await stage.testCalls.request(
      { requestId: newId('req'), endpointId, organizationId: stage.organization.id, traceparent: null },
      10_000,
    );
    expect(JSON.parse(stage.receiver.received[0]?.body ?? '{}')).toMatchObject({
      type: 'webhook.test',
      data: { message: expect.any(String) },
    });
  });
});

describe("an endpoint in OpenAI's dialect", () => {
  it.each([
    ['a response', {}, 'response.completed', 'resp_'],
    ['a video', { webhookDialect: openaiVideo }, 'video.completed', 'video_'],
  ])('gets the end of %s, repeated in the same words, and test calls', async (_what, kept, type, prefix) => {
    stage.receiver.respond = (_request, response) =>
      void response.writeHead(stage.receiver.received.length === 1 ? 500 : 200).end();
    const { id } = await stage.addEndpoint(stage.organization.id, stage.receiver.url, { dialect: 'openai' });
    await stage.publish('execution.started', kept);
    const { eventId, executionId } = await stage.publish('execution.completed', kept);
    await allDelivered(1);
    const organizationId = stage.organization.id;
    const call = { requestId: newId('req'), endpointId: id, organizationId, traceparent: null };
    await stage.testCalls.request(call, 10_000);
    const data = { id: executionId.replace('exec_', prefix) };
    const completed = { object: 'event', id: eventId, type, data };
    expect(stage.receiver.received.map((one) => JSON.parse(one.body))).toMatchObject([
      completed,
      completed,
      { object: 'event', type: 'webhook.test', data: { message: expect.any(String) } },
    ]);
  });
});

describe('an event that is too large', () => {
  it('is sent thin and marked as truncated', async () => {
    await stage.addEndpoint(stage.organization.id, `${stage.receiver.url}/full`);
    await stage.addEndpoint(stage.organization.id, `${stage.receiver.url}/thin`, { payload: 'thin' });
    const outputText = 'x'.repeat(limits.webhookBodyBytes);
    const { executionId } = await stage.publish('execution.completed', {
      outputText,
      webhookUrl: `${stage.receiver.url}/url`,
    });
    await allDelivered(3);
    const bodies = new Map(stage.receiver.received.map(({ path, body }) => [path, JSON.parse(body)]));
    const data = { id: executionId, status: 'COMPLETED' };
    expect(bodies.get('/hook/full')).toMatchObject({ truncated: true, data });
    expect(bodies.get('/hook/url')).toEqual(bodies.get('/hook/full'));
    const { truncated, ...rest } = bodies.get('/hook/full');
    expect(bodies.get('/hook/thin')).toEqual(rest);
    expect(truncated).toBe(true);
  });

  it('has more than 256 KiB', async () => {
    await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    await stage.publish('execution.completed', { outputText: 'x'.repeat(1000) });
    await allDelivered(1);
    const around = Buffer.byteLength(stage.receiver.received[0]?.body ?? '') - 1000;
    // Two bytes in UTF-8, one character.
    const outputText = `${'x'.repeat(limits.webhookBodyBytes - around - 2)}ö`;
    await stage.publish('execution.completed', { outputText });
    await allDelivered(2);
    await stage.publish('execution.completed', { outputText: `${outputText}x` });
    await allDelivered(3);
    const sizes = stage.receiver.received.slice(1).map(({ body }) => Buffer.byteLength(body));
    expect(sizes[0]).toBe(limits.webhookBodyBytes);
    expect(sizes[1]).toBeLessThan(1000);
  });
});

describe('an endpoint that responds with Retry-After', () => {
  it('gets no request for so long after 429', async () => {
    const endpoint = await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    stage.receiver.respond = status(429, { 'Retry-After': '3' });
    await stage.publish('execution.completed');
    await until('the failure', async () => (await endpoint.read()).failureCount === 1);
    stage.receiver.respond = status(200);
    await stage.publish('execution.failed');
    await allDelivered(2);
    const [first, second] = stage.receiver.received;
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(2900);
    expect(await endpoint.read()).toMatchObject({ failureCount: 0, lastError: 'responded with 429' });
  });
});
