import type { DeliveryState } from '@holdfast/db/webhooks/deliveries';
import { newId } from '@holdfast/domain/ids';
import { connectWorker } from '@holdfast/queues/connection';
import { deliverQueue, testCallQueue } from '@holdfast/queues/definitions';
import { openQueue } from '@holdfast/queues/producer';
import { startWorker } from '@holdfast/queues/worker';
import { testFolder } from '@holdfast/testkit/testFolder';
import { testRedisUrl } from '@holdfast/testkit/testRedis';
import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { insertDelivery } from '../../testing/insertDelivery.ts';
import { gatewayOfTests, openTestGateway } from '../../testing/testGateway.ts';
import { AnyEvent } from '../events/eventRecord.ts';
import { exampleEvents } from '../events/exampleEvents.ts';

const gateway = await gatewayOfTests();
const organizationId = await gateway.newOrganization();
const key = await gateway.newKey(organizationId);

const base = '/v1/webhooks/endpoints';
const url = 'https://example.com/hooks';

function call(method: 'get' | 'post' | 'patch' | 'delete', path: string, as = key) {
  return gateway.client(as)[method](path);
}

async function newEndpoint(body: object = {}): Promise<{ id: string; secret: string }> {
  return (
    await call('post', base)
      .send({ url, ...body })
      .expect(201)
  ).body;
}

const newDelivery = async (endpointId: string, state: DeliveryState) =>
  (await insertDelivery(gateway.context.db, { organizationId, endpointId, state })).id;

/** The lanes that the sender was notified of. */
async function hinted(): Promise<unknown[]> {
  const jobs = await openQueue(deliverQueue.name, gateway.context.redis)().getWaiting();
  return jobs.map(({ data }) => data);
}

const delivery = (id: string) => gateway.context.db.prisma.delivery.findUniqueOrThrow({ where: { id } });

it('a URL on another port is refused by name and by address, even with an allowed address range', async () => {
  const opened = await openTestGateway(gateway.servers, { EGRESS_ALLOW_CIDRS: '10.1.0.0/16' });
  for (const { app } of [gateway, opened]) {
    for (const host of ['hooks.example.com', '1.1.1.1']) {
      const target = `https://${host}:9443/`;
      const send = (path: string, body: object) =>
        request(app).post(path).auth(key, { type: 'bearer' }).send(body).expect(400);
      const endpoint = await send(base, { url: target });
      expect(endpoint.body.error.message).toBe('url must use port 443 or 8443.');
      const execution = { model: 'writer', input: { prompt: 'a' }, webhook_url: target };
      const { body } = await send('/v1/executions', execution);
      expect(body.error.details).toMatchObject([{ field: 'webhook_url', code: 'INVALID_URL' }]);
    }
  }
  await opened.close();
});

describe('a webhook endpoint', () => {
  it('is created with a secret that is returned once and stored sealed, like its headers', async () => {
    const { body } = await call('post', base)
      .send({ url, description: 'Mine', events: ['execution.completed'], headers: { 'X-Token': 't0ken' } })
      .expect(201);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^wh_/),
      url,
      description: 'Mine',
      events: ['execution.completed'],
      secret: expect.stringMatching(/^whsec_/),
      is_active: true,
      failure_count: 0,
      last_success: null,
    });
    const { secret, ...record } = body;
    expect((await call('get', `${base}/${body.id}`).expect(200)).body).toEqual(record);

    const row = await gateway.context.db.prisma.webhookEndpoint.findUniqueOrThrow({ where: { id: body.id } });
    expect(gateway.context.box.open(row.secret)).toBe(secret);
    expect(JSON.parse(gateway.context.box.open(row.headers ?? ''))).toEqual({ 'X-Token': 't0ken' });
    expect(JSON.stringify(row)).not.toContain('t0ken');
  });

  it.each([
    [{}, 'url', 'REQUIRED'],
    [{ url: 'http://example.com/hooks' }, 'url', 'INVALID_URL'],
    [{ url: 'https://127.0.0.1/' }, 'url', 'INVALID_URL'],
    [{ url: 'https://GATEWAY.test./own' }, 'url', 'INVALID_URL'],
    [{ url: 'https://example.com:9000/' }, 'url', 'INVALID_URL'],
    [{ url: 'https://user:pass@example.com/' }, 'url', 'INVALID_URL'],
    [{ url, events: ['execution.exploded'] }, 'events.0', 'INVALID_VALUE'],
    [{ url, events: ['endpoint.exploded'] }, 'events.0', 'INVALID_VALUE'],
    [{ url, models: ['writer', 'unheard-of'] }, 'models.1', 'NOT_FOUND'],
    [{ url, models: ['No Slug'] }, 'models.0', 'INVALID_FORMAT'],
    [{ url, payload: 'slim' }, 'payload', 'INVALID_VALUE'],
    [{ url, max_in_flight: 0 }, 'max_in_flight', 'OUT_OF_RANGE'],
    [{ url, max_in_flight: 257 }, 'max_in_flight', 'OUT_OF_RANGE'],
    [{ url, max_per_second: 10_001 }, 'max_per_second', 'OUT_OF_RANGE'],
    [{ url, max_per_second: 0.5 }, 'max_per_second', 'INVALID_TYPE'],
    [{ url, description: 'x'.repeat(1001) }, 'description', 'OUT_OF_RANGE'],
    [{ url, secret: 'mine' }, 'secret', 'UNKNOWN_FIELD'],
    [{ url, headers: { Host: 'x' } }, 'headers.Host', 'RESERVED_HEADER'],
    [{ url, headers: { 'content-length': '1' } }, 'headers.content-length', 'RESERVED_HEADER'],
    [{ url, headers: { 'X-Signature': 'x' } }, 'headers.X-Signature', 'RESERVED_HEADER'],
    [{ url, headers: { 'webhook-id': 'x' } }, 'headers.webhook-id', 'RESERVED_HEADER'],
    [{ url, headers: { 'X-A': 'a\r\nX-B: b' } }, 'headers.X-A', 'INVALID_HEADER'],
    [{ url, headers: { 'X A': 'a' } }, 'headers.X A', 'INVALID_HEADER'],
    [{ url: 'https://example.com/\r\nX-A: b' }, 'url', 'INVALID_URL'],
    [{ url, headers: { 'X-A': 'a', 'x-a': 'b' } }, 'headers.X-A', 'DUPLICATE'],
    [{ url, headers: { 'X-A': 'a'.repeat(4096) } }, 'headers.X-A', 'OUT_OF_RANGE'],
    [
      { url, headers: Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`X-${i}`, 'a'.repeat(4000)])) },
      'headers',
      'OUT_OF_RANGE',
    ],
    [
      { url, headers: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`X-${i}`, 'a'])) },
      'headers',
      'OUT_OF_RANGE',
    ],
  ])('as %j is refused', async (body, field, code) => {
    const refused = await call('post', base).send(body).expect(400);
    expect(refused.body.error.code).toBe('INPUT_VALIDATION_ERROR');
    expect(refused.body.error.details[0]).toMatchObject({ field, code });
  });

  it('with a very long header name is refused with a short message', async () => {
    const refused = await call('post', base)
      .send({ url, headers: { [`${'n'.repeat(100_000)} `]: 'a' } })
      .expect(400);
    expect(refused.text.length).toBeLessThan(2000);
  });

  it('accepts and returns its events, models, payload and limits', async () => {
    const plain = {
      models: [],
      payload: 'full',
      max_in_flight: 256,
      max_per_second: null,
      failing_since: null,
    };
    expect(await newEndpoint()).toMatchObject(plain);
    const events = ['execution.*', 'endpoint.*', 'endpoint.failing', 'execution.expired'];
    const wanted = {
      events,
      models: ['writer', 'retired'],
      payload: 'thin',
      max_in_flight: 256,
      max_per_second: 5,
    };
    const { id } = await newEndpoint({ ...wanted, models: ['writer', 'retired', 'writer'] });
    expect((await call('get', `${base}/${id}`).expect(200)).body).toMatchObject(wanted);
    const { body: list } = await call('get', base).expect(200);
    expect(list.endpoints.find((one: { id: string }) => one.id === id)).toMatchObject(wanted);

    const { body: slower } = await call('patch', `${base}/${id}`).send({ max_in_flight: 1 }).expect(200);
    expect(slower).toMatchObject({ ...wanted, max_in_flight: 1 });
    const { body } = await call('patch', `${base}/${id}`)
      .send({ events: [], ...plain, failing_since: undefined, max_in_flight: 9 })
      .expect(200);
    expect(body).toMatchObject({ events: [], ...plain, max_in_flight: 9 });
  });

  it('accepts a model that was just created', async () => {
    await newEndpoint({ models: ['writer'] });
    const slug = 'made-now';
    await gateway.context.db.pool.query(
      `INSERT INTO models (slug, definition, is_active, updated_at)
       SELECT $1, jsonb_set(definition, '{slug}', to_jsonb($1::text)), true, now() FROM models WHERE slug = 'writer'`,
      [slug],
    );
    expect(await newEndpoint({ models: [slug] })).toMatchObject({ models: [slug] });
  });

  it('refuses the same when it is changed as when it is created', async () => {
    const { id } = await newEndpoint();
    for (const [body, field, code] of [
      [{ models: ['unheard-of'] }, 'models.0', 'NOT_FOUND'],
      [{ events: ['endpoint.exploded'] }, 'events.0', 'INVALID_VALUE'],
      [{ headers: { Host: 'x' } }, 'headers.Host', 'RESERVED_HEADER'],
      [{ max_per_second: 0 }, 'max_per_second', 'OUT_OF_RANGE'],
    ] as const) {
      const refused = await call('patch', `${base}/${id}`).send(body).expect(400);
      expect(refused.body.error.details[0]).toMatchObject({ field, code });
    }
  });

  it('can replace or remove its headers', async () => {
    const { id } = await newEndpoint({ headers: { 'X-Old': 'old' } });
    const stored = async () =>
      (await gateway.context.db.prisma.webhookEndpoint.findUniqueOrThrow({ where: { id } })).headers;
    await call('patch', `${base}/${id}`).send({ description: 'Same' }).expect(200);
    expect(JSON.parse(gateway.context.box.open((await stored()) ?? ''))).toEqual({ 'X-Old': 'old' });
    await call('patch', `${base}/${id}`)
      .send({ headers: { 'X-New': 'new' } })
      .expect(200);
    expect(JSON.parse(gateway.context.box.open((await stored()) ?? ''))).toEqual({ 'X-New': 'new' });
    await call('patch', `${base}/${id}`).send({ headers: {} }).expect(200);
    expect(await stored()).toBeNull();
  });

  it('is listed page by page, newest first', async () => {
    const owner = await gateway.newKey(await gateway.newOrganization());
    const made: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      made.unshift((await call('post', base, owner).send({ url }).expect(201)).body.id);
    }
    const first = await call('get', `${base}?limit=2`, owner).expect(200);
    expect(first.body).toMatchObject({ has_more: true, next_cursor: made[1] });
    const second = await call('get', `${base}?limit=2&cursor=${first.body.next_cursor}`, owner).expect(200);
    expect(second.body).toMatchObject({ has_more: false, next_cursor: null });
    const listed = [...first.body.endpoints, ...second.body.endpoints];
    expect(listed.map(({ id }: { id: string }) => id)).toEqual(made);
    expect(listed[0]).not.toHaveProperty('secret');
    await call('get', `${base}?cursor=x`, owner).expect(400);
    await call('get', `${base}?limit=0`, owner).expect(400);
  });

  it('resets its failures when it is activated, and its pending deliveries are due', async () => {
    const { id } = await newEndpoint();
    await gateway.context.db.prisma.webhookEndpoint.update({
      where: { id },
      data: { isActive: false, failureCount: 10, probeAt: new Date() },
    });
    const waiting = await newDelivery(id, 'pending');
    const renamed = await call('patch', `${base}/${id}`).send({ description: 'New' }).expect(200);
    expect(renamed.body).toMatchObject({ description: 'New', is_active: false, failure_count: 10 });

    const { body } = await call('patch', `${base}/${id}`).send({ is_active: true }).expect(200);
    expect(body).toMatchObject({ id, description: 'New', is_active: true, failure_count: 0 });
    expect((await delivery(waiting)).nextAttemptAt?.getTime()).toBeLessThanOrEqual(Date.now() + 1000);
    expect(await hinted()).toContainEqual({ lane: id, organizationId });
    const row = await gateway.context.db.prisma.webhookEndpoint.findUniqueOrThrow({ where: { id } });
    expect(row.probeAt).toBeNull();
    await call('patch', `${base}/${id}`).send({ url }).expect(400);
  });

  it('is gone after its deletion, with its pending deliveries', async () => {
    const { id } = await newEndpoint();
    const waiting = await newDelivery(id, 'pending');
    await call('delete', `${base}/${id}`).expect(200, { id, deleted: true });
    expect(await gateway.context.db.prisma.webhookEndpoint.findUnique({ where: { id } })).toMatchObject({
      secret: '',
      headers: null,
    });
    expect(await delivery(waiting)).toMatchObject({ state: 'failed', finishedAt: expect.any(Date) });
    await call('delete', `${base}/${id}`).expect(404);
    await call('get', `${base}/${id}`).expect(404);
    await call('post', `/v1/webhooks/deliveries/${waiting}/redeliver`).expect(404);
  });

  it('is 404 for other organizations, and 403 for keys for executions', async () => {
    const { id } = await newEndpoint();
    const failed = await newDelivery(id, 'failed');
    const outsider = await gateway.newKey(await gateway.newOrganization());
    const executionKey = await gateway.newKey(organizationId, 'execution');
    for (const [as, status] of [
      [outsider, 404],
      [executionKey, 403],
    ] as const) {
      await call('get', `${base}/${id}`, as).expect(status);
      await call('patch', `${base}/${id}`, as).send({}).expect(status);
      await call('delete', `${base}/${id}`, as).expect(status);
      await call('post', `${base}/${id}/test`, as).expect(status);
      await call('get', `${base}/${id}/deliveries`, as).expect(status);
      await call('post', `${base}/${id}/recover`, as).send({ since: '2026-01-01T00:00:00Z' }).expect(status);
      await call('post', `/v1/webhooks/deliveries/${failed}/redeliver`, as).expect(status);
      await call('get', `/v1/webhooks/deliveries/${failed}`, as).expect(status);
    }
  });
});

describe('deliveries', () => {
  it('that are resent are due at once, for another day', async () => {
    const { id } = await newEndpoint();
    const failed = await newDelivery(id, 'failed');
    const { body } = await call('post', `/v1/webhooks/deliveries/${failed}/redeliver`).expect(202);
    expect(body).toMatchObject({ id: failed, endpoint_id: id, status: 'pending', finished_at: null });
    expect(Date.parse(body.expires_at) - Date.now()).toBeGreaterThan(86_300_000);
    expect(await delivery(failed)).toMatchObject({ state: 'pending', leaseUntil: null });
    expect(await hinted()).toContainEqual({ lane: id, organizationId });
  });

  it('are 410 when their content was erased', async () => {
    const failed = await newDelivery((await newEndpoint()).id, 'failed');
    await gateway.context.db.pool.query(
      'UPDATE events SET body = NULL WHERE id = (SELECT event_id FROM deliveries WHERE id = $1)',
      [failed],
    );
    const { body } = await call('post', `/v1/webhooks/deliveries/${failed}/redeliver`).expect(410);
    expect(body.error.code).toBe('EXECUTION_ERASED');
    expect(await delivery(failed)).toMatchObject({ state: 'failed' });
  });

  it('are recovered if they failed or expired since the given time', async () => {
    const { id } = await newEndpoint();
    const ids = await Promise.all(
      (['failed', 'expired', 'delivered', 'failed'] as const).map((state) => newDelivery(id, state)),
    );
    const [failed = '', expired = '', delivered = '', old = ''] = ids;
    await gateway.context.db.prisma.delivery.update({ where: { id: old }, data: { createdAt: new Date(0) } });
    const since = new Date(Date.now() - 3_600_000).toISOString();
    await call('post', `${base}/${id}/recover`)
      .send({ since })
      .expect(200, { redelivered: 2, has_more: false });
    const states = await Promise.all(
      [failed, expired, delivered, old].map(async (one) => (await delivery(one)).state),
    );
    expect(states).toEqual(['pending', 'pending', 'delivered', 'failed']);
    expect(await hinted()).toContainEqual({ lane: id, organizationId });
    await call('post', `${base}/${id}/recover`).send({ since: 'yesterday' }).expect(400);
  });
});

describe('a test call', () => {
  it("sends the example of a type that the endpoint gets, and returns the sender's result", async () => {
    const { id } = await newEndpoint();
    const result = { success: true, status_code: 204, response_time_ms: 7 };
    const redis = connectWorker(testRedisUrl(), gateway.context.log);
    const payloads: unknown[] = [];
    const worker = startWorker({
      queue: testCallQueue,
      redis,
      concurrency: 1,
      log: gateway.context.log,
      process: async (payload) => {
        payloads.push(payload);
        return result;
      },
    });
    await call('post', `${base}/${id}/test`).expect(200, result);
    const requestId = expect.any(String);
    const plain = { requestId, endpointId: id, organizationId, traceparent: null };
    expect(payloads).toEqual([plain]);
    for (const [type, example] of Object.entries(exampleEvents)) {
      await call('post', `${base}/${id}/test`).send({ type }).expect(200);
      expect(payloads.pop()).toEqual({ ...plain, event: { type, ...example } });
      const envelope = { id: newId('evt'), timestamp: new Date().toISOString(), version: '1.0' };
      const subject = { organization_id: organizationId, ...example.about, data: example.data };
      const event = { ...envelope, type, event_type: type, ...subject, test: true };
      expect(AnyEvent.parse(event)).toEqual(event);
      expect(Object.values(example.about)).toEqual([example.data['id']]);
    }
    await call('patch', `${base}/${id}`).send({ payload: 'thin', dialect: 'openai' }).expect(200);
    await call('post', `${base}/${id}/test`).send({ type: 'execution.completed' }).expect(200);
    const { id: executionId, status } = exampleEvents['execution.completed'].data;
    expect(payloads.pop()).toMatchObject({ event: { data: { id: executionId, status } } });
    for (const type of ['execution.started', 'execution.done'])
      await call('post', `${base}/${id}/test`).send({ type }).expect(400);
    await worker.stop();
    redis.disconnect();
  });

  it('is one of at most four in flight per organization', async () => {
    const { id } = await newEndpoint();
    const redis = connectWorker(testRedisUrl(), gateway.context.log);
    const refused = Promise.withResolvers<void>();
    const worker = startWorker({
      queue: testCallQueue,
      redis,
      concurrency: 8,
      log: gateway.context.log,
      process: async () => {
        await refused.promise;
        return { success: true, status_code: 200, response_time_ms: 1 };
      },
    });
    const calls = Array.from({ length: 5 }, async () => {
      const response = await call('post', `${base}/${id}/test`);
      if (response.status === 429) refused.resolve();
      return response;
    });
    const responses = await Promise.all(calls);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(4);
    const others = responses.filter(({ status }) => status !== 200);
    expect(others.map(({ status, headers }) => [status, headers['retry-after']])).toEqual([[429, '10']]);
    await call('post', `${base}/${id}/test`).expect(200);
    await worker.stop();
    redis.disconnect();
  });
});

describe('without Redis', () => {
  it('a test call is 503, and everything else works', async () => {
    const { id } = await newEndpoint();
    const cutOff = await openTestGateway({
      databaseUrl: gateway.servers.databaseUrl,
      redisUrl: 'redis://127.0.0.1:1',
      folder: testFolder('files'),
    });
    const as = (method: 'patch' | 'post', path: string) =>
      request(cutOff.app)[method](path).auth(key, { type: 'bearer' });
    const refused = await as('post', `${base}/${id}/test`).expect(503);
    expect(refused.body.error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryable: true });
    await as('patch', `${base}/${id}`).send({ is_active: true }).expect(200);
    await cutOff.close();
  });
});

describe('the secret of webhook_url deliveries', () => {
  it('can be read and rotated', async () => {
    const { body: before } = await call('get', '/v1/webhooks/secret').expect(200);
    expect(before.secret).toMatch(/^whsec_/);
    const { body: rotated } = await call('post', '/v1/webhooks/secret/rotate').expect(200);
    expect(rotated.secret).not.toBe(before.secret);
    expect((await call('get', '/v1/webhooks/secret').expect(200)).body).toEqual(rotated);
  });
});
