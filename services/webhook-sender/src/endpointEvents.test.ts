import { updateWebhookEndpoint } from '@holdfast/db/webhooks/endpoints';
import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { testRedisUrl } from '@holdfast/testkit/testRedis';
import { until } from '@holdfast/testkit/until';
import { type Receiver, startReceiver, status } from '@holdfast/testkit/webhookReceiver';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { hold } from './testing/hold.ts';
import { openStage, type Stage } from './testing/stage.ts';

let stage: Stage;
/** Of the endpoint that is told of. */
let ill: Receiver;
/** Of those that are told. */
let well: Receiver;
let organizationId: string;

beforeAll(async () => {
  stage = await openStage(await createTestDatabase(), testRedisUrl());
});
afterAll(() => stage.close());

beforeEach(async () => {
  [ill, well] = await Promise.all([startReceiver(), startReceiver()]);
  organizationId = (await stage.addOrganization()).id;
});
afterEach(() => Promise.all([ill.close(), well.close()]));

async function addEvents(count = 1): Promise<void> {
  const adding = Array.from({ length: count }, () => stage.addEvent(organizationId, 'execution.completed'));
  await stage.fanout.add({ eventIds: (await Promise.all(adding)).map(({ eventId }) => eventId) });
}

/** It asks for what is told of endpoints, too; its last failures were `failureCount` in a row. */
const addIll = (failureCount = 0) =>
  stage.addEndpoint(organizationId, ill.url, {
    events: ['execution.*', 'endpoint.*'],
    failureCount,
    ...(failureCount > 0 && { probeAt: new Date(0) }),
  });
const addWell = (path: string, events: Parameters<Stage['addEndpoint']>[2]) =>
  stage.addEndpoint(organizationId, `${well.url}/${path}`, events);

/** Probes are seconds apart by now, and sweeps leave what is new to others for some. */
async function probeNow(id: string): Promise<void> {
  const waits = { endpointId: id, state: 'pending' as const };
  await until('something to send', () => stage.db.prisma.delivery.findFirst({ where: waits }));
  await stage.db.prisma.webhookEndpoint.update({ where: { id }, data: { probeAt: new Date(0) } });
  await stage.deliver.add({ lane: id, organizationId });
}

type Told = { id: string; type: string; endpoint_id: string; data: object };
const toldTo = (path: string) =>
  well.received.filter((one) => one.path === `/hook/${path}`).map(({ body }) => JSON.parse(body) as Told);
const typesTo = (path: string) => toldTo(path).map(({ type }) => type);
const written = () =>
  stage.db.prisma.event.findMany({
    where: { organizationId, executionId: null },
    orderBy: { createdAt: 'asc' },
  });

describe('what befalls an endpoint', () => {
  it('is told once to the others that ask for it, from the fourth failure until it is well', async () => {
    const endpoint = await addIll(2);
    await addWell('all', { events: ['endpoint.*'], models: ['another-model'] });
    await addWell('one', { events: ['endpoint.failing'] });
    await addWell('none', {});
    ill.answer = status(500);
    await addEvents(2);
    await probeNow(endpoint.id);
    await until('the third failure', async () => (await endpoint.now()).failureCount === 3);
    expect(await written()).toEqual([]);
    for (const failures of [4, 5]) {
      await probeNow(endpoint.id);
      await until('the next failure', async () => (await endpoint.now()).failureCount === failures);
    }
    ill.answer = status(200);
    await probeNow(endpoint.id);
    await until('the recovery', () => typesTo('all').length === 2);
    await addEvents(1);
    await until('an event after it', () => toldTo('none').length === 3);

    expect(typesTo('all')).toEqual(['endpoint.failing', 'endpoint.recovered']);
    expect(typesTo('one')).toEqual(['endpoint.failing']);
    expect(new Set(typesTo('none'))).toEqual(new Set(['execution.completed']));
    expect(ill.received.filter(({ body }) => body.includes('endpoint.'))).toEqual([]);
    const [failing, recovered] = toldTo('all');
    const aboutIt = { organization_id: organizationId, endpoint_id: endpoint.id, version: '1.0' };
    expect(failing).toMatchObject({
      ...aboutIt,
      event_type: 'endpoint.failing',
      data: { id: endpoint.id, url: ill.url, is_active: true, failure_count: 4, last_error: 'answered 500' },
    });
    expect(recovered).toMatchObject({ ...aboutIt, data: { is_active: true, failure_count: 0 } });
    expect(await endpoint.now()).toMatchObject({ failingSince: null, failureCount: 0 });
  });

  it('is its deactivation, and its recovery once it is switched on and has taken something', async () => {
    const endpoint = await addIll(9);
    await addWell('all', { events: ['endpoint.deactivated', 'endpoint.recovered'] });
    ill.answer = status(500);
    await addEvents();
    await probeNow(endpoint.id);
    await until('the deactivation', () => toldTo('all').length === 1);
    expect(toldTo('all')[0]).toMatchObject({
      type: 'endpoint.deactivated',
      data: { is_active: false, failure_count: 10 },
    });
    ill.answer = status(200);
    await updateWebhookEndpoint(stage.db, organizationId, endpoint.id, { isActive: true });
    await until('the recovery', () => toldTo('all').length === 2);
    expect(typesTo('all')).toEqual(['endpoint.deactivated', 'endpoint.recovered']);
  });

  it('with 410 is its deactivation alone, whatever else of it is in flight', async () => {
    const endpoint = await addIll();
    await addWell('all', { events: ['endpoint.*'] });
    const held = hold(ill);
    await addEvents(2);
    await until('both requests', () => held.count() === 2);
    ill.answer = status(410);
    await addEvents(1);
    await until('the deactivation', () => toldTo('all').length === 1);
    held.release();
    const taken = { endpointId: endpoint.id, state: 'delivered' as const };
    await until('the others', async () => (await stage.db.prisma.delivery.count({ where: taken })) === 2);
    expect((await written()).map(({ type }) => type)).toEqual(['endpoint.deactivated']);
    expect(await endpoint.now()).toMatchObject({ isActive: false, failingSince: expect.any(Date) });

    await updateWebhookEndpoint(stage.db, organizationId, endpoint.id, { isActive: true });
    await until('the recovery', () => toldTo('all').length === 2);
    expect(typesTo('all')).toEqual(['endpoint.deactivated', 'endpoint.recovered']);
  });

  it('is written down though nobody asks for it', async () => {
    const endpoint = await addIll(9);
    ill.answer = status(500);
    await addEvents();
    await probeNow(endpoint.id);
    await until('the deactivation', async () => !(await endpoint.now()).isActive);
    const [event, ...others] = await written();
    expect(others).toEqual([]);
    expect(event).toMatchObject({ type: 'endpoint.deactivated', endpointId: endpoint.id });
    expect(event?.fannedOutAt).toBeInstanceOf(Date);
    expect(JSON.parse(event?.body ?? '')).toMatchObject({ id: event?.id, type: 'endpoint.deactivated' });
    expect(await stage.db.prisma.delivery.count({ where: { eventId: event?.id ?? '' } })).toBe(0);
  });

  it('is told by a sweep when the sender that wrote it down died', async () => {
    const endpoint = await addIll();
    await addWell('all', { events: ['endpoint.*'] });
    await stage.db.pool.query(unfanned, [organizationId, endpoint.id]);
    await until('what is told', () => toldTo('all').length === 1);
    const [event] = await written();
    expect(toldTo('all')[0]?.id).toBe(event?.id);
  });
});

const unfanned = `INSERT INTO events (id, organization_id, endpoint_id, type, body)
  SELECT id, $1, $2, 'endpoint.failing', json_build_object('id', id, 'type', 'endpoint.failing')::text
  FROM new_id('evt') AS id`;
