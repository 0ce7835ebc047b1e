import { updateWebhookEndpoint } from '@holdfast/db/webhooks/endpoints';
import { until } from '@holdfast/testkit/until';
import { status } from '@holdfast/testkit/webhookReceiver';
import { describe, expect, it } from '@jest/globals';
import { hold, type Stage, useStage } from './testing/stage.ts';

const stage = await useStage();

/** The endpoint that the events are about, with `failureCount` failures in a row, probed by `probeNow`. It subscribes to all events. */
const addFailing = (failureCount = 0) =>
  stage.addEndpoint(stage.organization.id, stage.receiver.url, {
    events: ['execution.*', 'endpoint.*'],
    failureCount,
    ...(failureCount > 0 && { probeAt: new Date(Date.now() + 3_600_000) }),
  });
const addListener = (path: string, events: Parameters<Stage['addEndpoint']>[2]) =>
  stage.addEndpoint(stage.organization.id, `${stage.otherReceiver.url}/${path}`, events);

/** Does not wait for the next probe, which is seconds away. */
async function probeNow(id: string): Promise<void> {
  const pending = { endpointId: id, state: 'pending' as const };
  await until('a pending delivery', () => stage.db.prisma.delivery.findFirst({ where: pending }));
  await stage.db.prisma.webhookEndpoint.update({ where: { id }, data: { probeAt: new Date(0) } });
  await stage.deliver.add({ lane: id, organizationId: stage.organization.id });
}

type EndpointEvent = { id: string; type: string; endpoint_id: string; data: object };
const eventsAt = (path: string) =>
  stage.otherReceiver.received
    .filter((one) => one.path === `/hook/${path}`)
    .map(({ body }) => JSON.parse(body) as EndpointEvent);
const typesAt = (path: string) => eventsAt(path).map(({ type }) => type);
const writtenEvents = () =>
  stage.db.prisma.event.findMany({
    where: { organizationId: stage.organization.id, executionId: null },
    orderBy: { createdAt: 'asc' },
  });

describe('an event about an endpoint', () => {
  it('is sent once to the other subscribed endpoints at the fourth failure and at the recovery', async () => {
    const endpoint = await addFailing(2);
    await addListener('all', { events: ['endpoint.*'], models: ['another-model'] });
    await addListener('one', { events: ['endpoint.failing'] });
    await addListener('none', {});
    stage.receiver.respond = status(500);
    await stage.publishMany(2);
    for (const failures of [3, 4, 5]) {
      await probeNow(endpoint.id);
      // By the next probe, too, which comes seconds later.
      await until('the next failure', async () => (await endpoint.read()).failureCount >= failures);
    }
    await until('the report of the failures', () => typesAt('all').length === 1);
    stage.receiver.respond = status(200);
    await probeNow(endpoint.id);
    await until('the recovery', () => typesAt('all').length === 2 && typesAt('one').length > 0);
    await stage.publishMany(1);
    await until('an event after it', () => eventsAt('none').length === 3);

    expect(typesAt('all')).toEqual(['endpoint.failing', 'endpoint.recovered']);
    expect(typesAt('one')).toEqual(['endpoint.failing']);
    expect(new Set(typesAt('none'))).toEqual(new Set(['execution.completed']));
    expect(stage.receiver.received.filter(({ body }) => body.includes('endpoint.'))).toEqual([]);
    const [failing, recovered] = eventsAt('all');
    const common = { organization_id: stage.organization.id, endpoint_id: endpoint.id, version: '1.0' };
    expect(failing).toMatchObject({
      ...common,
      event_type: 'endpoint.failing',
      data: {
        id: endpoint.id,
        url: stage.receiver.url,
        is_active: true,
        failure_count: 4,
        last_error: 'responded with 500',
      },
    });
    expect(recovered).toMatchObject({ ...common, data: { is_active: true, failure_count: 0 } });
    expect(await endpoint.read()).toMatchObject({ failingSince: null, failureCount: 0 });
  });

  it('reports the deactivation, and the recovery once the endpoint is active and has accepted a delivery', async () => {
    const endpoint = await addFailing(9);
    await addListener('all', { events: ['endpoint.deactivated', 'endpoint.recovered'] });
    stage.receiver.respond = status(500);
    await stage.publishMany(1);
    await probeNow(endpoint.id);
    await until('the deactivation', () => eventsAt('all').length === 1);
    expect(eventsAt('all')[0]).toMatchObject({
      type: 'endpoint.deactivated',
      data: { is_active: false, failure_count: 10 },
    });
    stage.receiver.respond = status(200);
    await updateWebhookEndpoint(stage.db, stage.organization.id, endpoint.id, { isActive: true });
    await until('the recovery', () => eventsAt('all').length === 2);
    expect(typesAt('all')).toEqual(['endpoint.deactivated', 'endpoint.recovered']);
  });

  it('reports only the deactivation after 410, with other requests in flight', async () => {
    const endpoint = await addFailing();
    await addListener('all', { events: ['endpoint.*'] });
    const held = hold(stage.receiver);
    await stage.publishMany(2);
    await until('both requests', () => held.count() === 2);
    stage.receiver.respond = status(410);
    await stage.publishMany(1);
    await until('the deactivation', () => eventsAt('all').length === 1);
    held.release();
    const delivered = { endpointId: endpoint.id, state: 'delivered' as const };
    await until(
      'the other deliveries',
      async () => (await stage.db.prisma.delivery.count({ where: delivered })) === 2,
    );
    expect((await writtenEvents()).map(({ type }) => type)).toEqual(['endpoint.deactivated']);
    expect(await endpoint.read()).toMatchObject({ isActive: false, failingSince: expect.any(Date) });

    await updateWebhookEndpoint(stage.db, stage.organization.id, endpoint.id, { isActive: true });
    await until('the recovery', () => eventsAt('all').length === 2);
    expect(typesAt('all')).toEqual(['endpoint.deactivated', 'endpoint.recovered']);
  });

  it('is written to the database without any subscriber', async () => {
    const endpoint = await addFailing(9);
    stage.receiver.respond = status(500);
    await stage.publishMany(1);
    await probeNow(endpoint.id);
    await until('the deactivation', async () => !(await endpoint.read()).isActive);
    const [event, ...others] = await writtenEvents();
    expect(others).toEqual([]);
    expect(event).toMatchObject({ type: 'endpoint.deactivated', endpointId: endpoint.id });
    expect(event?.fannedOutAt).toBeInstanceOf(Date);
    expect(JSON.parse(event?.body ?? '')).toMatchObject({ id: event?.id, type: 'endpoint.deactivated' });
    expect(await stage.db.prisma.delivery.count({ where: { eventId: event?.id ?? '' } })).toBe(0);
  });

  it('is sent by a sweep when the sender that wrote it has died', async () => {
    const endpoint = await addFailing();
    await addListener('all', { events: ['endpoint.*'] });
    await stage.db.pool.query(unfanned, [stage.organization.id, endpoint.id]);
    await until('the event', () => eventsAt('all').length === 1);
    const [event] = await writtenEvents();
    expect(eventsAt('all')[0]?.id).toBe(event?.id);
  });
});

const unfanned = `INSERT INTO events (id, organization_id, endpoint_id, type, body)
  SELECT id, $1, $2, 'endpoint.failing', json_build_object('id', id, 'type', 'endpoint.failing')::text
  FROM new_id('evt') AS id`;
