import { eraseExecution } from '@holdfast/db/executions/erase';
import { type AttemptRecord, recordAttempts } from '@holdfast/db/webhooks/attempts';
import { deliverMissedEvents, listMissedEvents } from '@holdfast/db/webhooks/missedEvents';
import { subscribedTypes } from '@holdfast/domain/events';
import { newId } from '@holdfast/domain/ids';
import { asRole } from '@holdfast/testkit/testDatabase';
import { beforeEach, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { insertDelivery } from '../../testing/insertDelivery.ts';
import { completedExecution } from '../../testing/newExecution.ts';
import { gatewayOfTests, openTestGateway, organizationWithKey } from '../../testing/testGateway.ts';
import { findEndpoint } from './endpointRecord.ts';
import { recover } from './postRecover.ts';

const gateway = await gatewayOfTests();
let organizationId: string;
let key: string;

beforeEach(async () => {
  ({ organizationId, key } = await organizationWithKey(gateway, { balance: '1000' }));
});
const base = '/v1/webhooks/endpoints';
const call = (method: 'get' | 'post' | 'patch', path: string, app = gateway.app) =>
  request(app)[method](path).auth(key, { type: 'bearer' });

async function newEndpoint(body: object = {}): Promise<string> {
  const sent = call('post', base).send({ url: 'https://example.com/hooks', ...body });
  return (await sent.expect(201)).body.id;
}

const failure: Omit<AttemptRecord, 'endpointId'> = {
  id: newId('dlv'),
  attempts: 1,
  number: 1,
  leaseUntil: new Date(),
  startedAt: new Date(),
  inFlightLimit: null,
  isProbe: true,
  ok: false,
  isGone: false,
  countsForEndpoint: true,
  durationMs: 1,
  statusCode: 500,
  error: 'responded with 500',
  stage: 'response',
  response: null,
  nextDelayS: 1,
  retryAfterS: 0,
};

/** What the webhook-sender writes with the failure that is one too many. */
async function deactivate(endpointId: string): Promise<void> {
  const terms = { failuresToNotify: 1, failuresToDeactivate: 1, maxProbeDelayS: 60 };
  await recordAttempts(gateway.context.db, [{ ...failure, endpointId }], terms);
  expect((await call('get', `${base}/${endpointId}`)).body.is_active).toBe(false);
}

const activate = (id: string, isActive = true) =>
  call('patch', `${base}/${id}`).send({ is_active: isActive }).expect(200);

/** The events of an execution that ran and ended, which no endpoint receives. */
async function complete(
  model = 'writer',
): Promise<[started: string, completed: string, executionId: string]> {
  const { db } = gateway.context;
  const executionId = await completedExecution(db, { organizationId, model, cost: '0.1' });
  const { rows } = await db.pool.query<{ started: string; completed: string }>(
    `SELECT event_id($1, 'execution.started') AS started, event_id($1, 'execution.completed') AS completed`,
    [executionId],
  );
  return [rows[0]?.started ?? '', rows[0]?.completed ?? '', executionId];
}

async function recovered(
  id: string,
  since = new Date(0),
): Promise<{ redelivered: number; has_more: boolean }> {
  const sent = call('post', `${base}/${id}/recover`).send({ since: since.toISOString() });
  return (await sent.expect(200)).body;
}

/** The events that an endpoint has deliveries of. */
async function deliveredTo(endpointId: string): Promise<string[]> {
  const rows = await gateway.context.db.prisma.delivery.findMany({ where: { endpointId } });
  return rows.map(({ eventId }) => eventId).toSorted();
}

const setEvents = (ids: string[], set: string) =>
  gateway.context.db.pool.query(`UPDATE events SET ${set} WHERE id = ANY ($1)`, [ids]);

describe('an endpoint that failures deactivated', () => {
  it('receives its missed events once, even when recovered concurrently', async () => {
    const id = await newEndpoint();
    await deactivate(id);
    const events = [...(await complete()).slice(0, 2), ...(await complete()).slice(0, 2)].toSorted();
    await activate(id);
    expect(await deliveredTo(id)).toEqual([]);

    const counts = await Promise.all(Array.from({ length: 4 }, () => recovered(id)));
    expect(counts.reduce((sum, { redelivered }) => sum + redelivered, 0)).toBe(4);
    expect(await deliveredTo(id)).toEqual(events);
    expect(await recovered(id)).toEqual({ redelivered: 0, has_more: false });
    for (const event of events) {
      const { body } = await gateway.context.db.prisma.event.findUniqueOrThrow({ where: { id: event } });
      expect(JSON.parse(body ?? '')).toEqual((await call('get', `/v1/events/${event}`)).body);
    }
    const [delivery] = (await call('get', `${base}/${id}/deliveries`)).body.deliveries;
    expect(delivery).toMatchObject({ status: 'pending', attempts: [], url: 'https://example.com/hooks' });
  });

  it('can be recovered while inactive: the deliveries stay pending', async () => {
    const id = await newEndpoint();
    await deactivate(id);
    await complete();
    expect(await recovered(id)).toEqual({ redelivered: 2, has_more: false });
    await complete();
    expect(await recovered(id)).toEqual({ redelivered: 2, has_more: false });
  });

  it('receives events from before its failure that were fanned out later', async () => {
    const id = await newEndpoint();
    await deactivate(id);
    const [started, completed] = await complete();
    await setEvents([started, completed], `created_at = now() - interval '1 hour'`);
    await activate(id);
    expect((await recovered(id)).redelivered).toBe(2);
  });

  it('receives only the events it subscribes to', async () => {
    const id = await newEndpoint({ events: ['execution.completed', 'endpoint.*'], models: ['writer'] });
    const other = await newEndpoint({ events: ['execution.failed'] });
    await deactivate(id);
    await deactivate(other);
    const [, completed] = await complete('writer');
    await complete('painter');
    expect((await recovered(id)).redelivered).toBe(2);
    const aboutOther = await gateway.context.db.prisma.event.findFirstOrThrow({
      where: { endpointId: other },
    });
    expect(await deliveredTo(id)).toEqual([completed, aboutOther.id].toSorted());
    expect((await recovered(other)).redelivered).toBe(0);
  });

  it('receives nothing from before `since`, older than a day, or of an erased execution', async () => {
    const id = await newEndpoint();
    await deactivate(id);
    const [old, , erased] = [await complete(), await complete(), await complete()];
    await setEvents(old.slice(0, 2), `created_at = now() - interval '25 hours'`);
    await eraseExecution(gateway.context.db, organizationId, erased[2]);
    expect((await recovered(id, new Date(Date.now() + 60_000))).redelivered).toBe(0);
    expect((await recovered(id)).redelivered).toBe(2);
  });

  it('does not receive an event erased while it was read', async () => {
    const { db } = gateway.context;
    const id = await newEndpoint();
    await deactivate(id);
    const executionId = (await complete())[2];
    const endpoint = {
      id,
      organizationId,
      types: subscribedTypes({ events: [], dialect: 'holdfast' }),
      models: [],
    };
    const { rows: missed } = await listMissedEvents(db, endpoint, { createdAt: new Date(0), id: '' }, 10);
    expect(missed).toHaveLength(2);
    await eraseExecution(db, organizationId, executionId);
    const rendered = missed.map(({ eventId }) => ({ id: eventId, executionId, body: '{}' }));
    expect(await deliverMissedEvents(db, id, rendered)).toBe(0);
    const events = await db.prisma.event.findMany({ where: { executionId } });
    expect(events.map(({ body }) => body)).toEqual([null, null]);
  });

  it('is recovered in calls of bounded size until nothing is left', async () => {
    const id = await newEndpoint();
    await deactivate(id);
    await insertDelivery(gateway.context.db, { organizationId, endpointId: id, state: 'failed' });
    await complete();
    const endpoint = await findEndpoint(gateway.context.db, organizationId, id);
    const next = () => recover(gateway.context, organizationId, endpoint, new Date(0), 2);
    expect(await next()).toEqual({ count: 2, hasMore: true });
    expect(await next()).toEqual({ count: 1, hasMore: false });
    expect(await next()).toEqual({ count: 0, hasMore: false });
  });

  it('is recovered in one call from large events, which are read in smaller parts', async () => {
    const id = await newEndpoint();
    await deactivate(id);
    for (let nth = 0; nth < 18; nth++) await complete();
    await gateway.context.db.pool.query(
      `UPDATE events SET body = repeat('x', 260000) WHERE organization_id = $1 AND execution_id IS NOT NULL`,
      [organizationId],
    );
    expect(await recovered(id)).toEqual({ redelivered: 36, has_more: false });
  });

  it('also receives its expired pending deliveries', async () => {
    const { db } = gateway.context;
    const id = await newEndpoint();
    await deactivate(id);
    const { id: waiting } = await insertDelivery(db, { organizationId, endpointId: id, state: 'pending' });
    expect((await recovered(id)).redelivered).toBe(0);
    await db.prisma.delivery.update({ where: { id: waiting }, data: { expiresAt: new Date(0) } });
    expect((await recovered(id)).redelivered).toBe(1);
  });

  it("can be recovered with the gateway's database role", async () => {
    const id = await newEndpoint();
    await deactivate(id);
    await complete();
    const databaseUrl = asRole(gateway.servers.databaseUrl, 'holdfast_gateway');
    const limited = await openTestGateway({ ...gateway.servers, databaseUrl });
    const since = new Date(0).toISOString();
    await call('patch', `${base}/${id}`, limited.app).send({ is_active: true }).expect(200);
    const { body } = await call('post', `${base}/${id}/recover`, limited.app).send({ since }).expect(200);
    expect(body.redelivered).toBe(2);
    await limited.close();
  });
});

describe('an endpoint that its owner deactivated', () => {
  it('has no missed events', async () => {
    const id = await newEndpoint();
    await activate(id, false);
    await complete();
    await activate(id);
    await complete();
    expect((await recovered(id)).redelivered).toBe(0);
  });

  it('has missed events from before, if it had failed', async () => {
    const id = await newEndpoint();
    await deactivate(id);
    const [started, completed] = await complete();
    await activate(id, false);
    await complete();
    await activate(id);
    expect((await recovered(id)).redelivered).toBe(2);
    expect(await deliveredTo(id)).toEqual([started, completed].toSorted());
  });

  it('does not receive events of types it subscribed to later', async () => {
    const id = await newEndpoint({ events: ['execution.failed'] });
    await complete();
    await call('patch', `${base}/${id}`).send({ events: [] }).expect(200);
    expect((await recovered(id)).redelivered).toBe(0);
  });
});
