import { recordOutcomes } from '@holdfast/db/attempts/outcomes';
import { listEventsOfExecution } from '@holdfast/db/events';
import {
  cancelExecution,
  completeExecutions,
  expireExecutions,
  failExecutions,
} from '@holdfast/db/executions/endings';
import { getExecution } from '@holdfast/db/executions/read';
import { startExecutions } from '@holdfast/db/executions/start';
import { readEventsToFanOut } from '@holdfast/db/webhooks/fanOut';
import type { NewEvent } from '@holdfast/db/webhooks/newEvents';
import { deliveredEventBody, type EventType } from '@holdfast/domain/events';
import { newId } from '@holdfast/domain/ids';
import { limits } from '@holdfast/domain/limits';
import type { Billed, RecordedOutcome } from '@holdfast/domain/outcome';
import { createTestOrganization } from '@holdfast/testkit/testData';
import { openTestDatabase } from '@holdfast/testkit/testDatabase';
import { afterAll, describe, expect, it } from '@jest/globals';
import { type CreateRequest, openCreator } from './creator.ts';
import { nowhere } from './testing/nowhere.ts';

const { db, close } = await openTestDatabase(5);
const creator = openCreator({ db, dispatch: nowhere });
afterAll(close);

const awkward = 'a "quoted" \\ back\\slash,\nnew\tline, \u0001, \u007f, ü, 😀, \u2028 and </script>';

async function create(organizationId: string, change: Partial<CreateRequest> = {}): Promise<string> {
  const { record } = await creator.create({
    organizationId,
    apiKeyId: 'key_test',
    idempotencyKey: null,
    requestHash: 'a hash',
    model: 'a-model',
    input: { prompt: 'hello' },
    metadata: { note: awkward, list: [1, 2.5, -3e-7, true, null], empty: {} },
    webhookUrl: null,
    estimatedCost: '0.01234567',
    timeoutS: 600,
    ...change,
  });
  return record.id;
}

async function addEndpoint(organizationId: string, fields: object = {}): Promise<string> {
  const id = newId('wh');
  const url = `https://example.com/${id}`;
  await db.prisma.webhookEndpoint.create({
    data: { id, organizationId, url, events: [], secret: 'sealed', ...fields },
  });
  return id;
}

async function start(id: string): Promise<NewEvent & { attemptId: string }> {
  const [started] = await startExecutions(db, [{ id, connection: 'sandbox', target: 'm' }], 30);
  if (!started) throw new Error('not started');
  return started;
}

async function record(attemptId: string, outcome: RecordedOutcome): Promise<NewEvent | undefined> {
  await recordOutcomes(db, [{ attemptId, outcome, state: outcome.ok ? 'succeeded' : 'failed' }]);
  const ended = await (outcome.ok ? completeExecutions : failExecutions)(db, [attemptId]);
  return ended[0];
}

const success = (
  output: Record<string, unknown>,
  cost = '0.00200000',
  billed: Billed = {},
): RecordedOutcome => ({
  ok: true,
  output,
  inputTokens: 1,
  outputTokens: 2,
  cost,
  ...(Object.keys(billed).length > 0 && { billed }),
});

async function overdue(id: string): Promise<NewEvent | undefined> {
  await db.prisma.execution.update({ where: { id }, data: { expiresAt: new Date(Date.now() - 1000) } });
  return (await expireExecutions(db, 1, { id }))[0];
}

const reportProgress = (id: string) =>
  db.prisma.execution.update({ where: { id }, data: { progress: 0.7, queuePosition: 3, logs: 'half' } });

/** The ways to end an execution, by the type of the event. */
const endings: [EventType, (id: string, organizationId: string) => Promise<NewEvent | null | undefined>][] = [
  [
    'execution.completed',
    async (id) => record((await start(id)).attemptId, success({ text: awkward, n: [1.5] })),
  ],
  [
    'execution.completed',
    async (id) =>
      record(
        (await start(id)).attemptId,
        success({ text: 'more' }, '1.5', {
          seconds: 2.023,
          units: { 'a "b" {}': 3 },
          estimated: ['seconds'],
        }),
      ),
  ],
  [
    'execution.failed',
    async (id) =>
      record((await start(id)).attemptId, { ok: false, code: 'INPUT_VALIDATION_ERROR', message: awkward }),
  ],
  [
    'execution.failed',
    async (id) => record((await start(id)).attemptId, { ok: false, code: 'MODEL_OVERLOADED', message: '' }),
  ],
  ['execution.cancelled', (id, organizationId) => cancelExecution(db, organizationId, id)],
  [
    'execution.cancelled',
    async (id, organizationId) => {
      await start(id);
      await reportProgress(id);
      return cancelExecution(db, organizationId, id);
    },
  ],
  ['execution.expired', overdue],
  ...['2099-12-31T23:59:59.000Z', '2099-12-31T23:59:59.500Z', '2099-12-31T23:59:59.999Z'].map(
    (expiresAt): (typeof endings)[number] => [
      'execution.cancelled',
      async (id, organizationId) => {
        await db.prisma.execution.update({ where: { id }, data: { expiresAt } });
        return cancelExecution(db, organizationId, id);
      },
    ],
  ),
];

async function eventOf(id: string, type: EventType) {
  const event = (await listEventsOfExecution(db, id)).find((one) => one.type === type);
  if (!event) throw new Error(`no ${type}`);
  return event;
}

async function renderedBody(organizationId: string, executionId: string, type: EventType): Promise<string> {
  const [event, execution] = [
    await eventOf(executionId, type),
    await getExecution(db, organizationId, executionId),
  ];
  if (!execution) throw new Error('no execution');
  return deliveredEventBody({ ...event, type, organizationId, executionId }, execution);
}

const deliveriesOf = (eventId: string) => db.prisma.delivery.findMany({ where: { eventId } });

describe('an event with few receivers', () => {
  it.each(endings)('is written with the body of %s', async (type, end) => {
    const organizationId = await createTestOrganization(db, '100');
    const endpointId = await addEndpoint(organizationId);
    const id = await create(organizationId, { priority: 'high' });
    const ended = await end(id, organizationId);
    const event = await eventOf(id, type);
    expect(event.body).toBe(await renderedBody(organizationId, id, type));
    const deliveries = await deliveriesOf(event.id);
    expect(ended).toMatchObject({ eventId: event.id, deliveryIds: deliveries.map((one) => one.id) });
    expect(deliveries).toMatchObject([
      {
        endpointId,
        lane: endpointId,
        url: `https://example.com/${endpointId}`,
        state: 'pending',
        attempts: 0,
      },
    ]);
  });

  it('is written with the body of a start, as it was then', async () => {
    const organizationId = await createTestOrganization(db, '100');
    await addEndpoint(organizationId);
    // It has no name for a start.
    await addEndpoint(organizationId, { dialect: 'openai' });
    const id = await create(organizationId, { webhookUrl: 'https://example.com/"own"', metadata: null });
    const { attemptId, ...started } = await start(id);
    expect(started).toMatchObject({ eventId: expect.any(String), deliveryIds: [expect.any(String)] });
    const body = await renderedBody(organizationId, id, 'execution.started');
    await reportProgress(id);
    await record(attemptId, success({}));
    expect((await eventOf(id, 'execution.started')).body).toBe(body);
  });

  it('is written with a thin body when the full one is too large', async () => {
    const organizationId = await createTestOrganization(db, '100');
    await addEndpoint(organizationId);
    const id = await create(organizationId);
    const text = 'ü'.repeat(limits.webhookBodyBytes / 2);
    await record((await start(id)).attemptId, success({ text }));
    const { body } = await eventOf(id, 'execution.completed');
    expect(body).toBe(await renderedBody(organizationId, id, 'execution.completed'));
    expect(JSON.parse(body ?? '')).toMatchObject({ truncated: true, data: { id, status: 'COMPLETED' } });
  });

  it('is written with a thin body when the output alone is many times too large, and the output is kept', async () => {
    const organizationId = await createTestOrganization(db, '100');
    await addEndpoint(organizationId);
    const id = await create(organizationId);
    const text = 'x'.repeat(4 * limits.webhookBodyBytes);
    await record((await start(id)).attemptId, success({ text }));
    const { body } = await eventOf(id, 'execution.completed');
    expect(body).toBe(await renderedBody(organizationId, id, 'execution.completed'));
    expect(JSON.parse(body ?? '')).toMatchObject({ truncated: true });
    expect((await getExecution(db, organizationId, id))?.output).toEqual({ text });
  });

  it('goes to each active endpoint of its organization that wants its type and its model', async () => {
    const [organizationId, other] = [
      await createTestOrganization(db, '100'),
      await createTestOrganization(db, '100'),
    ];
    const wanted = [
      await addEndpoint(organizationId),
      await addEndpoint(organizationId, { events: ['execution.cancelled'], dialect: 'openai' }),
      await addEndpoint(organizationId, { events: ['execution.*'], models: ['x', 'a-model'] }),
    ];
    await addEndpoint(organizationId, { events: ['execution.completed', 'endpoint.*'] });
    await addEndpoint(organizationId, { models: ['another-model'] });
    await addEndpoint(organizationId, { isActive: false });
    await addEndpoint(organizationId, { deletedAt: new Date() });
    await addEndpoint(other);
    const id = await create(organizationId);
    await cancelExecution(db, organizationId, id);
    const deliveries = await deliveriesOf((await eventOf(id, 'execution.cancelled')).id);
    expect(deliveries).toHaveLength(wanted.length);
    expect(new Set(deliveries.map(({ endpointId }) => endpointId))).toEqual(new Set(wanted));
  });

  it('is due at once, and leased to the sender that takes its hint unless the endpoint makes it wait', async () => {
    const organizationId = await createTestOrganization(db, '100');
    const free = await addEndpoint(organizationId);
    await addEndpoint(organizationId, { failureCount: 1 });
    await addEndpoint(organizationId, { maxPerSecond: 10 });
    const id = await create(organizationId);
    await cancelExecution(db, organizationId, id);
    const event = await eventOf(id, 'execution.cancelled');
    const deliveries = await deliveriesOf(event.id);
    const leased = deliveries.filter(({ leaseUntil }) => leaseUntil !== null);
    expect(leased.map(({ endpointId }) => endpointId)).toEqual([free]);
    for (const { nextAttemptAt, createdAt, expiresAt } of deliveries) {
      expect([nextAttemptAt, createdAt]).toEqual([event.createdAt, event.createdAt]);
      expect(expiresAt.getTime() - createdAt.getTime()).toBe(limits.webhookExpiryMs);
    }
  });
});

describe('an event is left to the webhook-sender', () => {
  async function cancelled(organizationId: string, change: Partial<CreateRequest> = {}) {
    const id = await create(organizationId, change);
    const ended = await cancelExecution(db, organizationId, id);
    const event = await db.prisma.event.findFirstOrThrow({ where: { executionId: id } });
    return { ended, event, deliveries: await deliveriesOf(event.id) };
  }

  it('when more than eight endpoints want it', async () => {
    const organizationId = await createTestOrganization(db, '100');
    for (let count = 0; count < 8; count += 1) await addEndpoint(organizationId);
    expect((await cancelled(organizationId)).deliveries).toHaveLength(8);
    await addEndpoint(organizationId);
    const { ended, event, deliveries } = await cancelled(organizationId);
    expect(ended).toMatchObject({ eventId: event.id, deliveryIds: [] });
    expect([event.fannedOutAt, event.body, deliveries]).toEqual([null, null, []]);
  });

  it('when its organization has more than 32 active endpoints', async () => {
    const organizationId = await createTestOrganization(db, '100');
    const unwanted = { events: ['execution.failed'] };
    for (let count = 0; count < 32; count += 1) await addEndpoint(organizationId, unwanted);
    expect((await cancelled(organizationId)).ended).toMatchObject({ eventId: null, deliveryIds: [] });
    await addEndpoint(organizationId, unwanted);
    const { ended, event } = await cancelled(organizationId);
    expect(ended).toMatchObject({ eventId: event.id, deliveryIds: [] });
    expect([event.fannedOutAt, event.body]).toEqual([null, null]);
  });

  it('when its execution has a `webhook_url`', async () => {
    const organizationId = await createTestOrganization(db, '100');
    await addEndpoint(organizationId);
    const { ended, event, deliveries } = await cancelled(organizationId, {
      webhookUrl: 'https://example.com',
    });
    expect(ended).toMatchObject({ eventId: event.id, deliveryIds: [] });
    expect([event.fannedOutAt, event.body, deliveries]).toEqual([null, null, []]);
  });

  it.each(endings)('which reads it with the body of %s', async (type, end) => {
    const organizationId = await createTestOrganization(db, '100');
    const id = await create(organizationId, { webhookUrl: 'https://example.com/"own"' });
    await end(id, organizationId);
    const [event] = await readEventsToFanOut(db, [(await eventOf(id, type)).id], 1);
    expect(event).toMatchObject({ type, executionId: id, organizationId, model: 'a-model' });
    expect(event?.body).toBe(await renderedBody(organizationId, id, type));
  });

  it('which reads a start as it was then', async () => {
    const organizationId = await createTestOrganization(db, '100');
    for (let count = 0; count < 9; count += 1) await addEndpoint(organizationId);
    const id = await create(organizationId);
    const { attemptId } = await start(id);
    const type = 'execution.started';
    const body = await renderedBody(organizationId, id, type);
    await reportProgress(id);
    await record(attemptId, success({}));
    const [event] = await readEventsToFanOut(db, [(await eventOf(id, type)).id], 1);
    expect(event?.body).toBe(body);
  });

  it('never when no one wants it', async () => {
    const { ended, event, deliveries } = await cancelled(await createTestOrganization(db, '100'));
    expect(ended).toMatchObject({ eventId: null, deliveryIds: [] });
    expect([event.fannedOutAt, event.body, deliveries]).toEqual([event.createdAt, null, []]);
  });
});
