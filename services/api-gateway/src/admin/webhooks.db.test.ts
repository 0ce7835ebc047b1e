import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '@holdfast/domain/ids';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createAdminApp } from '../adminApp.ts';
import { insertDelivery } from '../testing/insertDelivery.ts';
import { clientOf, gatewayOfTests, operators, withOperators } from '../testing/testGateway.ts';

const { ann, sam, val } = operators;

const gateway = await gatewayOfTests(withOperators);
const admin = createAdminApp(gateway.context);
let org: string;
let other: string;

beforeAll(async () => {
  [org, other] = [await gateway.newOrganization(), await gateway.newOrganization()];
});

const as = (token: string) => clientOf(admin, token);
const run = (sql: string, values: unknown[]) => gateway.context.db.pool.query(sql, values);

async function newEndpoint(
  organizationId: string,
  url: string,
  columns: Record<string, unknown> = {},
): Promise<string> {
  const id = newId('wh');
  await run(
    `INSERT INTO webhook_endpoints (id, organization_id, url, events, secret, is_active, failing_since, payload)
     VALUES ($1, $2, $3, '{}', $4, $5, $6, $7)`,
    [
      id,
      organizationId,
      url,
      gateway.context.box.seal('whsec_1'),
      columns['is_active'] ?? true,
      columns['failing_since'] ?? null,
      columns['payload'] ?? 'full',
    ],
  );
  return id;
}

async function attempt(
  deliveryId: string,
  number: number,
  durationMs: number,
  error: string | null,
): Promise<void> {
  await run(
    `INSERT INTO delivery_attempts (delivery_id, number, duration_ms, status_code, error, stage, answer)
     VALUES ($1, $2, $3, $4, $5, $6, 'said')`,
    [deliveryId, number, durationMs, error === null ? 200 : 500, error, error === null ? null : 'response'],
  );
}

async function idsOf(path: string): Promise<string[]> {
  const { body } = await as(val).get(`/admin/v1${path}`).expect(200);
  return body.data.map(({ id }: { id: string }) => id);
}

describe("any organization's endpoints", () => {
  it('are listed by organization, state and text, page by page, with their success rate and latency', async () => {
    const good = await newEndpoint(org, 'https://good.example/hooks');
    const failing = await newEndpoint(org, 'https://failing.example/100%', { failing_since: new Date() });
    const off = await newEndpoint(other, 'https://off.example', { is_active: false });
    const dead = await newEndpoint(other, 'https://dead.example', {
      is_active: false,
      failing_since: new Date(),
    });
    expect(await idsOf('/webhooks/endpoints')).toEqual([dead, off, failing, good]);
    expect(await idsOf(`/webhooks/endpoints?organization_id=${org}`)).toEqual([failing, good]);
    expect(await idsOf('/webhooks/endpoints?state=active')).toEqual([failing, good]);
    expect(await idsOf('/webhooks/endpoints?state=failing')).toEqual([failing]);
    expect(await idsOf('/webhooks/endpoints?state=deactivated')).toEqual([dead]);
    expect(await idsOf('/webhooks/endpoints?state=inactive')).toEqual([dead, off]);
    expect(await idsOf('/webhooks/endpoints?text=GOOD')).toEqual([good]);
    expect(await idsOf(`/webhooks/endpoints?text=${encodeURIComponent('%')}`)).toEqual([failing]);
    const { body } = await as(val).get('/admin/v1/webhooks/endpoints?limit=3').expect(200);
    expect(body.has_more).toBe(true);
    expect(await idsOf(`/webhooks/endpoints?cursor=${body.next_cursor}`)).toEqual([good]);
    const { id } = await insertDelivery(gateway.context.db, {
      organizationId: org,
      endpointId: good,
      state: 'delivered',
    });
    await run('UPDATE deliveries SET attempts = 2 WHERE id = $1', [id]);
    await attempt(id, 1, 300, 'the endpoint returned 500');
    await attempt(id, 2, 100, null);
    const read = await as(val).get(`/admin/v1/webhooks/endpoints/${good}`).expect(200);
    expect(read.body).toMatchObject({
      organization_id: org,
      in_flight_limit: null,
      activity: { attempts: 2, succeeded: 1, p50_ms: 100, p95_ms: 300 },
    });
    const activity = await as(val)
      .get(`/admin/v1/organizations/${org}/webhooks/endpoints/${good}/activity`)
      .expect(200);
    expect(activity.body).toMatchObject({ counted_since: null });
    expect(activity.body.hours).toHaveLength(24);
    const tried = activity.body.hours.filter((hour: { succeeded: number }) => hour.succeeded > 0);
    expect(tried).toMatchObject([{ succeeded: 1, failed: 1, p50_ms: 100, p95_ms: 300 }]);
    await as(val).get(`/admin/v1/organizations/${other}/webhooks/endpoints/${good}/activity`).expect(404);
    await as(val)
      .get(`/admin/v1/webhooks/endpoints/${newId('wh')}`)
      .expect(404);
  });

  it('are turned on by support, and get a new secret from an admin only', async () => {
    const id = await newEndpoint(org, 'https://again.example', {
      is_active: false,
      failing_since: new Date(),
    });
    const path = `/admin/v1/organizations/${org}/webhooks/endpoints/${id}`;
    await as(val).patch(path).send({ is_active: true }).expect(403);
    const { body } = await as(sam).patch(path).send({ is_active: true }).expect(200);
    expect(body).toMatchObject({ is_active: true, failure_count: 0 });
    for (const more of [{ headers: {} }, { is_active: true, events: [] }, { max_per_second: 1 }])
      await as(sam).patch(path).send(more).expect(403);
    await as(ann).patch(path).send({ description: 'Orders' }).expect(200);
    await as(sam).patch(path.replace(org, other)).send({ is_active: true }).expect(404);
    await as(sam).post(`${path}/rotate-secret`).expect(403);
    const rotated = await as(ann).post(`${path}/rotate-secret`).expect(200);
    expect(rotated.body.secret).toMatch(/^whsec_/);
    const log = await as(val).get('/admin/v1/actions?action=rotate').expect(200);
    expect(JSON.stringify(log.body)).not.toContain(rotated.body.secret);
  });
});

describe("any organization's deliveries", () => {
  it('are listed and read with the body that they send', async () => {
    const { db } = gateway.context;
    const full = await newEndpoint(org, 'https://full.example');
    const thin = await newEndpoint(other, 'https://thin.example', { payload: 'thin' });
    const first = await insertDelivery(db, { organizationId: org, endpointId: full, state: 'failed' });
    // Ids of one millisecond have no order.
    await delay(2);
    const second = await insertDelivery(db, { organizationId: other, endpointId: thin, state: 'delivered' });
    await attempt(first.id, 1, 20, 'the endpoint returned 500');
    expect((await idsOf('/webhooks/deliveries')).slice(0, 2)).toEqual([second.id, first.id]);
    expect(await idsOf(`/webhooks/deliveries?organization_id=${other}`)).toEqual([second.id]);
    expect(await idsOf(`/webhooks/deliveries?endpoint_id=${full}`)).toEqual([first.id]);
    expect(await idsOf('/webhooks/deliveries?status=failed')).toEqual([first.id]);
    expect(await idsOf(`/webhooks/deliveries?endpoint_id=${full}&attempted=true`)).toEqual([first.id]);
    expect(await idsOf(`/webhooks/deliveries?endpoint_id=${full}&attempted=false`)).toEqual([]);
    const ended = await idsOf('/webhooks/deliveries?status=failed,delivered');
    expect(ended.slice(0, 2)).toEqual([second.id, first.id]);
    await as(val).get('/admin/v1/webhooks/deliveries?status=failed,lost').expect(400);
    expect(await idsOf('/webhooks/deliveries?event_type=execution.failed')).toEqual([]);
    const soon = new Date(Date.now() + 60_000).toISOString();
    expect(await idsOf(`/webhooks/deliveries?created_after=${soon}`)).toEqual([]);
    const { body: page } = await as(val).get('/admin/v1/webhooks/deliveries?limit=1').expect(200);
    expect(await idsOf(`/webhooks/deliveries?limit=1&cursor=${page.next_cursor}`)).toEqual([first.id]);
    const { body } = await as(val).get(`/admin/v1/webhooks/deliveries/${first.id}`).expect(200);
    expect(body).toMatchObject({ organization_id: org, body: `{"id":"${first.eventId}"}` });
    expect(body.attempts).toMatchObject([{ number: 1, status_code: 500, response: 'said' }]);
    const read = await as(val).get(`/admin/v1/webhooks/deliveries/${second.id}`).expect(200);
    expect(JSON.parse(read.body.body)).toMatchObject({
      id: second.eventId,
      data: { id: second.executionId, status: 'COMPLETED' },
    });
    await as(val)
      .get(`/admin/v1/webhooks/deliveries/${newId('dlv')}`)
      .expect(404);
  });

  it('are recovered by filter once, oldest first, except those to deleted endpoints and of erased events', async () => {
    const { db } = gateway.context;
    const since = new Date(Date.now() - 1000).toISOString();
    const [endpointId, deleted] = [
      await newEndpoint(org, 'https://down.example'),
      await newEndpoint(org, 'https://gone.example'),
    ];
    const failed = { organizationId: org, endpointId, state: 'failed' } as const;
    const [one, two, erased] = [
      await insertDelivery(db, failed),
      await insertDelivery(db, { ...failed, state: 'expired', type: 'execution.failed' }),
      await insertDelivery(db, failed),
    ];
    await insertDelivery(db, { ...failed, state: 'delivered' });
    await insertDelivery(db, { ...failed, endpointId: deleted });
    await run('UPDATE events SET body = NULL WHERE id = $1', [erased.eventId]);
    await run('UPDATE webhook_endpoints SET deleted_at = now() WHERE id = $1', [deleted]);
    const recover = (token: string, filter: object) =>
      as(token)
        .post('/admin/v1/webhooks/deliveries/recover')
        .send({ since, ...filter });
    await recover(val, { endpoint_id: endpointId }).expect(403);
    const trial = await recover(sam, { endpoint_id: endpointId, is_trial: true }).expect(200);
    expect(trial.body).toEqual({ matched: 3, redelivered: 0, has_more: false, next_cursor: null });
    const typed = await recover(sam, { organization_id: org, event_type: 'execution.failed' }).expect(200);
    expect(typed.body).toMatchObject({ matched: 1, redelivered: 1 });
    const rest = await recover(sam, { endpoint_id: endpointId }).expect(200);
    expect(rest.body).toMatchObject({ matched: 2, redelivered: 1 });
    expect((await recover(sam, { endpoint_id: endpointId }).expect(200)).body).toMatchObject({
      redelivered: 0,
    });
    expect((await recover(sam, { endpoint_id: deleted }).expect(200)).body).toMatchObject({
      matched: 1,
      redelivered: 0,
    });
    const { rows } = await run('SELECT id FROM deliveries WHERE state = $1', ['pending']);
    expect(rows).toHaveLength(2);
    expect(new Set(rows.map(({ id }) => id))).toEqual(new Set([one.id, two.id]));
    expect((await recover(sam, { until: since }).expect(200)).body).toMatchObject({ redelivered: 0 });
  });
});
