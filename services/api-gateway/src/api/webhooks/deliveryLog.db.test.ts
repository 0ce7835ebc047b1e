import { type DeliveryState, searchedPerPage } from '@holdfast/db/webhooks/deliveries';
import { recoverDeliveries } from '@holdfast/db/webhooks/redelivery';
import { newId } from '@holdfast/domain/ids';
import { describe, expect, it } from '@jest/globals';
import { insertDelivery } from '../../testing/insertDelivery.ts';
import { gatewayOfTests, organizationWithKey } from '../../testing/testGateway.ts';

const gateway = await gatewayOfTests();
const { organizationId, key } = await organizationWithKey(gateway);

const base = '/v1/webhooks/endpoints';
const deliveries = '/v1/webhooks/deliveries';

function call(method: 'get' | 'post' | 'delete', path: string, as = key) {
  return gateway.client(as)[method](path);
}

async function newEndpoint(): Promise<string> {
  return (await call('post', base).send({ url: 'https://example.com/hooks' }).expect(201)).body.id;
}

const newDelivery = (endpointId: string | null, state: DeliveryState, more: object = {}) =>
  insertDelivery(gateway.context.db, { organizationId, endpointId, state, ...more });

/** The ids that a list returns. */
async function listed(path: string): Promise<string[]> {
  const { body } = await call('get', path).expect(200);
  return body.deliveries.map(({ id }: { id: string }) => id);
}

const set = (id: string, data: object) => gateway.context.db.prisma.delivery.update({ where: { id }, data });

describe('the backlog of an endpoint', () => {
  it('says how many deliveries wait and what the receiver responded last, to its organization alone', async () => {
    const endpoint = await newEndpoint();
    const { id } = await newDelivery(endpoint, 'pending');
    await newDelivery(endpoint, 'pending');
    await gateway.context.db.prisma.deliveryAttempt.create({
      data: { deliveryId: id, number: 1, durationMs: 9, statusCode: 503, error: 'HTTP 503', answer: 'down' },
    });
    const { body } = await call('get', `${base}/${endpoint}/backlog`).expect(200);
    expect(body).toMatchObject({
      deactivated_at: null,
      waiting: 2,
      has_more_waiting: false,
      last_attempts: [{ delivery_id: id, number: 1, status_code: 503, error: 'HTTP 503', response: 'down' }],
    });
    const { key: other } = await organizationWithKey(gateway);
    await call('get', `${base}/${endpoint}/backlog`, other).expect(404);
  });
});

describe('the log of an endpoint', () => {
  it('has each delivery with its attempts: the response or the stage of the failure', async () => {
    const endpoint = await newEndpoint();
    const { id, executionId } = await newDelivery(endpoint, 'failed');
    await gateway.context.db.prisma.deliveryAttempt.createMany({
      data: [
        {
          deliveryId: id,
          number: 2,
          durationMs: 12,
          statusCode: 500,
          error: 'HTTP 500',
          stage: 'response',
          answer: 'oh',
        },
        { deliveryId: id, number: 1, durationMs: 30_000, error: 'no response within 30 s', stage: 'timeout' },
      ],
    });
    const { body } = await call('get', `${base}/${endpoint}/deliveries`).expect(200);
    expect(body.deliveries).toEqual([
      expect.objectContaining({
        id,
        endpoint_id: endpoint,
        about_endpoint_id: null,
        event_type: 'execution.completed',
        execution_id: executionId,
        status: 'failed',
        next_attempt_at: null,
        attempts: [
          expect.objectContaining({ number: 1, status_code: null, error_stage: 'timeout', response: null }),
          expect.objectContaining({ number: 2, status_code: 500, error_stage: 'response', response: 'oh' }),
        ],
      }),
    ]);
    expect((await call('get', `${deliveries}/${id}`).expect(200)).body).toEqual(body.deliveries[0]);
    expect(body.deliveries[0]).not.toHaveProperty('lane');
  });

  it('has the last 50 attempts of a delivery that was resent often', async () => {
    const { id } = await newDelivery(await newEndpoint(), 'delivered');
    await gateway.context.db.prisma.deliveryAttempt.createMany({
      data: Array.from({ length: 120 }, (_, index) => ({ deliveryId: id, number: index + 1 })),
    });
    const { body } = await call('get', `${deliveries}/${id}`).expect(200);
    expect(body.attempts.map(({ number }: { number: number }) => number)).toEqual(
      Array.from({ length: 50 }, (_, index) => index + 71),
    );
  });

  it('is read page by page, newest first', async () => {
    const endpoint = await newEndpoint();
    const ids: string[] = [];
    for (const state of ['failed', 'pending', 'delivered'] as const) {
      const { id } = await newDelivery(endpoint, state);
      await set(id, { createdAt: new Date(Date.UTC(2026, 0, 1, 0, 0, ids.length)) });
      ids.unshift(id);
    }
    const { body } = await call('get', `${base}/${endpoint}/deliveries?limit=2`).expect(200);
    expect(body).toMatchObject({ has_more: true, next_cursor: ids[1] });
    expect(await listed(`${base}/${endpoint}/deliveries?limit=2&cursor=${ids[1]}`)).toEqual([ids[2]]);
    expect(await listed(`${base}/${endpoint}/deliveries`)).toEqual(ids);
  });

  it('is filtered by status, type and time', async () => {
    const endpoint = await newEndpoint();
    const old = (await newDelivery(endpoint, 'failed', { type: 'execution.failed' })).id;
    const young = (await newDelivery(endpoint, 'delivered')).id;
    await set(old, { createdAt: new Date('2026-01-01T00:00:00Z') });
    await set(young, { createdAt: new Date('2026-01-02T00:00:00Z') });
    const found = (query: string) => listed(`${base}/${endpoint}/deliveries?${query}`);
    expect(await found('status=failed')).toEqual([old]);
    expect(await found('event_type=execution.completed')).toEqual([young]);
    expect(await found('created_after=2026-01-01T12:00:00Z')).toEqual([young]);
    expect(await found('created_before=2026-01-01T12:00:00Z')).toEqual([old]);
    expect(
      await found(`status=failed&event_type=execution.failed&created_before=2026-01-02T00:00:00Z`),
    ).toEqual([old]);
    expect(await found(`status=failed&cursor=${young}`)).toEqual([old]);
    await call('get', `${base}/${endpoint}/deliveries?status=lost`).expect(400);
    await call('get', `${base}/${endpoint}/deliveries?event_type=execution.*`).expect(400);
    const { body } = await call('get', `${base}/${endpoint}/deliveries?created_after=yesterday`).expect(400);
    expect(body.error.message).toBe(
      'created_after must be a time such as 2026-03-20T10:30:00Z, or a date such as 2026-03-20 (00:00 UTC).',
    );
  });

  it('is filtered by whether the receiver was ever called, also before a delivery was sent again', async () => {
    const endpoint = await newEndpoint();
    const [called, again, waiting] = [
      await newDelivery(endpoint, 'failed'),
      await newDelivery(endpoint, 'pending'),
      await newDelivery(endpoint, 'pending'),
    ];
    await set(called.id, { attempts: 1 });
    await gateway.context.db.prisma.deliveryAttempt.create({ data: { deliveryId: again.id, number: 1 } });
    const found = async (query: string) =>
      (await listed(`${base}/${endpoint}/deliveries?${query}`)).toSorted();
    expect(await found('attempted=true')).toEqual([called.id, again.id].toSorted());
    expect(await found('attempted=true&status=pending')).toEqual([again.id]);
    expect(await found('attempted=false')).toEqual([waiting.id]);
    expect(await listed(`${deliveries}?execution_id=${waiting.executionId}&attempted=true`)).toEqual([]);
    await call('get', `${base}/${endpoint}/deliveries?attempted=yes`).expect(400);
  });

  it('ends a filtered page after 20,000 deliveries, and continues behind them', async () => {
    const endpoint = await newEndpoint();
    const attempted = await newDelivery(endpoint, 'failed');
    await set(attempted.id, { attempts: 1, createdAt: new Date('2026-01-01T00:00:00Z') });
    await gateway.context.db.pool.query(
      `WITH v AS (
         INSERT INTO events (id, organization_id, endpoint_id, type, body, fanned_out_at)
         SELECT new_id('evt'), $1, $2, 'endpoint.failing', '{}', now() FROM generate_series(1, $3) RETURNING id
       )
       INSERT INTO deliveries (id, event_id, organization_id, endpoint_id, lane, url, expires_at)
       SELECT delivery_id(id, $2), id, $1, $2, $2, 'https://example.com/hooks', now() + interval '1 day' FROM v`,
      [organizationId, endpoint, searchedPerPage],
    );
    const path = `${base}/${endpoint}/deliveries?attempted=true`;
    const { body } = await call('get', path).expect(200);
    expect(body).toMatchObject({ deliveries: [], has_more: true });
    expect(await listed(`${path}&cursor=${body.next_cursor}`)).toEqual([attempted.id]);
  });

  it('shows overdue pending deliveries as expired, unless they are in flight', async () => {
    const endpoint = await newEndpoint();
    const { id } = await newDelivery(endpoint, 'pending');
    const past = new Date(Date.now() - 1000);
    const shown = async () => (await call('get', `${deliveries}/${id}`).expect(200)).body;
    expect(await shown()).toMatchObject({ status: 'pending', finished_at: null });
    await set(id, { expiresAt: past, leaseUntil: new Date(Date.now() + 60_000) });
    expect(await shown()).toMatchObject({ status: 'pending' });
    await set(id, { leaseUntil: past });
    expect(await shown()).toMatchObject({
      status: 'expired',
      next_attempt_at: null,
      finished_at: past.toISOString(),
    });
    expect(await listed(`${base}/${endpoint}/deliveries?status=pending`)).toEqual([]);
    expect(await listed(`${base}/${endpoint}/deliveries?status=expired`)).toEqual([id]);
  });

  it('names the endpoint that an event is about', async () => {
    const [endpoint, failing] = [await newEndpoint(), await newEndpoint()];
    const { rows } = await gateway.context.db.pool.query<{ id: string }>(
      `WITH v AS (
         INSERT INTO events (id, organization_id, endpoint_id, type, body, fanned_out_at)
         VALUES (new_id('evt'), $1, $3, 'endpoint.failing', '{}', now()) RETURNING id
       )
       INSERT INTO deliveries (id, event_id, organization_id, endpoint_id, lane, url, expires_at)
       SELECT delivery_id(id, $2), id, $1, $2, $2, 'https://example.com/hooks', now() + interval '1 day' FROM v
       RETURNING id`,
      [organizationId, endpoint, failing],
    );
    const { body } = await call('get', `${base}/${endpoint}/deliveries?event_type=endpoint.failing`).expect(
      200,
    );
    expect(body.deliveries).toEqual([
      expect.objectContaining({
        id: rows[0]?.id,
        endpoint_id: endpoint,
        execution_id: null,
        about_endpoint_id: failing,
        event_type: 'endpoint.failing',
      }),
    ]);
  });
});

describe('the log of an execution', () => {
  it('has its deliveries to all endpoints and to its own webhook_url', async () => {
    const endpoint = await newEndpoint();
    const executionId = newId('exec');
    const started = await newDelivery(endpoint, 'delivered', { executionId, type: 'execution.started' });
    const own = await newDelivery(null, 'failed', { executionId });
    const ended = await newDelivery(endpoint, 'delivered', { executionId });
    await newDelivery(endpoint, 'delivered');
    const of = (query = '') => listed(`${deliveries}?execution_id=${executionId}${query}`);
    expect((await of()).toSorted()).toEqual([started.id, own.id, ended.id].toSorted());
    expect(await of('&status=failed')).toEqual([own.id]);
    expect(await of('&event_type=execution.started')).toEqual([started.id]);
    const [first, ...rest] = await of();
    expect(await of(`&cursor=${first}`)).toEqual(rest);
    const outsider = await organizationWithKey(gateway);
    const { body } = await call('get', `${deliveries}?execution_id=${executionId}`, outsider.key).expect(200);
    expect(body.deliveries).toEqual([]);
  });

  it('requires the id of an execution', async () => {
    for (const [query, code] of [
      ['', 'REQUIRED'],
      ['?execution_id=evt_1', 'INVALID_FORMAT'],
    ]) {
      const { body } = await call('get', `${deliveries}${query}`).expect(400);
      expect(body.error.details).toEqual([expect.objectContaining({ field: 'execution_id', code })]);
    }
  });
});

describe('recovery', () => {
  it('continues where it stopped, oldest first', async () => {
    const endpoint = await newEndpoint();
    const ids: string[] = [];
    for (let minute = 0; minute < 5; minute += 1) {
      const { id } = await newDelivery(endpoint, minute % 2 === 0 ? 'failed' : 'expired');
      await set(id, { createdAt: new Date(Date.UTC(2026, 0, 1, 0, minute)) });
      ids.push(id);
    }
    const since = new Date(Date.UTC(2026, 0, 1, 0, 1));
    const recover = (limit: number) => recoverDeliveries(gateway.context.db, endpoint, since, limit);
    expect(await recover(2)).toEqual({ count: 2, hasMore: true });
    const pending = await listed(`${base}/${endpoint}/deliveries?status=pending`);
    expect(pending).toEqual([ids[2], ids[1]]);
    expect(await recover(2)).toEqual({ count: 2, hasMore: false });
    expect(await recover(2)).toEqual({ count: 0, hasMore: false });
    expect(await listed(`${base}/${endpoint}/deliveries?status=failed`)).toEqual([ids[0]]);
  });

  it('recovers thousands in one call', async () => {
    const endpoint = await newEndpoint();
    await gateway.context.db.pool.query(
      `WITH v AS (
         INSERT INTO events (id, organization_id, execution_id, type, body, fanned_out_at)
         SELECT event_id(x, 'execution.completed'), $1, x, 'execution.completed', '{}', now()
         FROM (SELECT new_id('exec') AS x FROM generate_series(1, 2500)) AS made RETURNING id
       )
       INSERT INTO deliveries (id, event_id, organization_id, endpoint_id, lane, url, state, expires_at, finished_at)
       SELECT delivery_id(id, $2), id, $1, $2, $2, 'https://example.com/hooks', 'failed', now(), now() FROM v`,
      [organizationId, endpoint],
    );
    await call('post', `${base}/${endpoint}/recover`)
      .send({ since: '2026-01-01T00:00:00Z' })
      .expect(200, { redelivered: 2500, has_more: false });
    const pending = await gateway.context.db.prisma.delivery.count({
      where: { endpointId: endpoint, state: 'pending' },
    });
    expect(pending).toBe(2500);
  });
});

describe('a delivery to a deleted endpoint', () => {
  it('is kept in the log, and is not resent', async () => {
    const endpoint = await newEndpoint();
    const { id } = await newDelivery(endpoint, 'failed');
    await call('delete', `${base}/${endpoint}`).expect(200);
    await call('get', `${deliveries}/${id}`).expect(200);
    const { body } = await call('post', `${deliveries}/${id}/redeliver`).expect(404);
    expect(body.error.message).toBe('The endpoint of this delivery was deleted.');
  });
});

describe('a delivery that is no longer kept', () => {
  it('is not found, and can be neither resent nor recovered', async () => {
    const { pool } = gateway.context.db;
    const endpoint = await newEndpoint();
    await pool.query(`SELECT make_partitions('2025-01-01'::date, '2025-01-01'::date)`);
    const executionId = 'exec_01946000-0000-7000-8000-000000000000';
    const { id } = await newDelivery(endpoint, 'failed', { executionId });
    await call('get', `${deliveries}/${id}`).expect(200);
    await pool.query('SELECT drop_deliveries(30)');
    await call('get', `${deliveries}/${id}`).expect(404);
    await call('post', `${deliveries}/${id}/redeliver`).expect(404);
    await call('post', `${base}/${endpoint}/recover`)
      .send({ since: '2025-01-01T00:00:00Z' })
      .expect(200, { redelivered: 0, has_more: false });
  });
});
