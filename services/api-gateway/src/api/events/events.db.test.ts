import { openDatabase } from '@holdfast/db/client';
import { listEvents } from '@holdfast/db/events';
import { eraseExecution } from '@holdfast/db/executions/erase';
import { newId } from '@holdfast/domain/ids';
import { asRole } from '@holdfast/testkit/testDatabase';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { insertDelivery } from '../../testing/insertDelivery.ts';
import { completedExecution } from '../../testing/newExecution.ts';
import { gatewayOfTests, organizationWithKey } from '../../testing/testGateway.ts';

const gateway = await gatewayOfTests();
let organizationId: string;
let key: string;

beforeEach(async () => {
  ({ organizationId, key } = await organizationWithKey(gateway, { balance: '100' }));
});

type Event = { id: string; type: string; execution_id: string; data: Record<string, unknown> };
type Page = { data: Event[]; has_more: boolean; next_cursor: string | null };

const get = (path: string, as = key) => gateway.client(as).get(path);

async function list(query = ''): Promise<Page> {
  return (await get(`/v1/events?${query}`).expect(200)).body;
}

const ids = async (query: string) => (await list(query)).data.map(({ id }) => id);

const pool = () => gateway.context.db.pool;

/** As one that took its time: what happens within a millisecond has no order. */
async function complete(model = 'writer'): Promise<string> {
  const id = await completedExecution(gateway.context.db, { organizationId, model, cost: '0.1' });
  await pool().query(
    `UPDATE events SET created_at = created_at - interval '1 second' WHERE id = event_id($1, 'execution.started')`,
    [id],
  );
  return id;
}

/** The id of an execution's start and of its ending. */
async function eventsOf(executionId: string): Promise<[started: string, ended: string]> {
  const { rows } = await pool().query<{ started: string; ended: string }>(
    `SELECT event_id($1, 'execution.started') AS started, event_id($1, 'execution.completed') AS ended`,
    [executionId],
  );
  return [rows[0]?.started ?? '', rows[0]?.ended ?? ''];
}

const setTime = (id: string, time: string) =>
  pool().query('UPDATE events SET created_at = $2 WHERE id = $1', [id, time]);

async function newEndpoint(body: object = {}): Promise<string> {
  const sent = gateway.client(key).post('/v1/webhooks/endpoints');
  return (await sent.send({ url: 'https://example.com/hooks', ...body }).expect(201)).body.id;
}

/** An event about an endpoint. */
async function tellOf(endpointId: string): Promise<string> {
  const { rows } = await pool().query<{ id: string }>(
    `INSERT INTO events (id, organization_id, endpoint_id, type, body, fanned_out_at)
     SELECT id, $1, $2, 'endpoint.failing', json_build_object('id', id, 'endpoint_id', $2::text)::text, now()
     FROM new_id('evt') AS id RETURNING id`,
    [organizationId, endpointId],
  );
  return rows[0]?.id ?? '';
}

describe('events', () => {
  it('are listed as a webhook delivers them, delivered or not', async () => {
    const executionId = await complete();
    const [started, ended] = await eventsOf(executionId);
    const delivered = { id: ended, type: 'execution.completed', data: { as: 'it was delivered' } };
    const before = await list();
    expect(before.data.map(({ type, data }) => [type, data.status])).toEqual([
      ['execution.completed', 'COMPLETED'],
      ['execution.started', 'PROCESSING'],
    ]);
    expect(before.data[0]).toMatchObject({
      id: ended,
      event_type: 'execution.completed',
      version: '1.0',
      organization_id: organizationId,
      execution_id: executionId,
      data: { id: executionId, cost: '0.10', result: {}, usage: { input_tokens: 0, output_tokens: 0 } },
    });
    await pool().query('UPDATE events SET body = $2 WHERE id = $1', [ended, JSON.stringify(delivered)]);
    expect((await list()).data).toEqual([delivered, before.data[1]]);
    expect((await get(`/v1/events/${ended}`).expect(200)).body).toEqual(delivered);
    expect((await get(`/v1/events/${started}`).expect(200)).body).toEqual(before.data[1]);
  });

  it('have only ids and status when the webhook would be too large', async () => {
    const executionId = await complete();
    const output = JSON.stringify({ text: 'x'.repeat(300_000) });
    await pool().query('UPDATE executions SET output = $2 WHERE id = $1', [executionId, output]);
    const [ended] = (await list()).data;
    expect(ended).toMatchObject({ type: 'execution.completed', truncated: true });
    expect(ended?.data).toEqual({ id: executionId, status: 'COMPLETED' });
    expect((await get(`/v1/events/${ended?.id}`).expect(200)).body).toEqual(ended);
  });

  it('are read without the outputs that they do not have', async () => {
    const executionId = await complete();
    const output = JSON.stringify({ text: 'x'.repeat(300_000) });
    await pool().query('UPDATE executions SET output = $2 WHERE id = $1', [executionId, output]);
    const all = { filter: {}, undelivered: null, isAscending: true, limit: 10 };
    expect((await listEvents(gateway.context.db, organizationId, all)).rows).toMatchObject([
      { eventType: 'execution.started', output: null, isTruncated: null },
      { eventType: 'execution.completed', output: null, isTruncated: true },
    ]);
  });

  it('end a page before its limit when they are large, and the next one has the others', async () => {
    for (let nth = 0; nth < 18; nth++) await complete();
    await pool().query(
      `UPDATE events SET body = json_build_object('id', id, 'text', repeat('x', 260000)) WHERE organization_id = $1`,
      [organizationId],
    );
    const first = await list('limit=100');
    expect(first).toMatchObject({ has_more: true, next_cursor: first.data.at(-1)?.id });
    const second = await list(`limit=100&cursor=${first.next_cursor}`);
    expect(second).toMatchObject({ has_more: false, next_cursor: null });
    expect([first.data.length, second.data.length]).toEqual([33, 3]);
    expect(new Set([...first.data, ...second.data].map(({ id }) => id)).size).toBe(36);
  });

  it('are read page by page, the newest or the oldest first', async () => {
    const all = [...(await eventsOf(await complete())), ...(await eventsOf(await complete()))];
    for (const [index, id] of all.entries()) await setTime(id, `2026-01-0${index + 1}T00:00:00Z`);
    for (const [order, expected] of [
      ['desc', all.toReversed()],
      ['asc', all],
    ] as const) {
      const first = await list(`order=${order}&limit=3`);
      expect(first.data.map(({ id }) => id)).toEqual(expected.slice(0, 3));
      expect(first).toMatchObject({ has_more: true, next_cursor: expected[2] });
      const second = await list(`order=${order}&limit=3&cursor=${first.next_cursor}`);
      expect(second.data.map(({ id }) => id)).toEqual(expected.slice(3));
      expect(second).toMatchObject({ has_more: false, next_cursor: null });
    }
    expect(
      await ids('order=asc&created_after=2026-01-01T00:00:00Z&created_before=2026-01-04T00:00:00Z'),
    ).toEqual(all.slice(1, 3));
  });

  it('are filtered by type and execution', async () => {
    const [one, other] = [await complete(), await complete()];
    const [started, ended] = await eventsOf(one);
    const [, otherEnded] = await eventsOf(other);
    const failing = await tellOf(await newEndpoint());
    expect((await ids('type=execution.completed')).toSorted()).toEqual([ended, otherEnded].toSorted());
    expect(await ids('type=endpoint.*')).toEqual([failing]);
    expect(await ids('type=execution.*')).toHaveLength(4);
    expect((await ids(`execution_id=${one}`)).toSorted()).toEqual([started, ended].toSorted());
    expect(await ids(`execution_id=${one}&type=execution.started`)).toEqual([started]);
    expect(await ids(`execution_id=${newId('exec')}`)).toEqual([]);
  });

  it('of an erased execution have only its record', async () => {
    const executionId = await complete();
    await pool().query(`UPDATE events SET body = '{"delivered":1}' WHERE execution_id = $1`, [executionId]);
    await eraseExecution(gateway.context.db, organizationId, executionId);
    const { data } = await list('type=execution.completed');
    // The log is read of an execution alone.
    const {
      logs: _logs,
      urls: _urls,
      ...record
    } = (await get(`/v1/executions/${executionId}`).expect(200)).body;
    expect(data[0]?.data).toMatchObject(record);
    expect(data[0]?.data).toMatchObject({ erased_at: expect.any(String), metadata: null });
    expect(data[0]?.data).not.toHaveProperty('result');
  });

  it('are visible only to their organization, and refused to keys for executions', async () => {
    const [started] = await eventsOf(await complete());
    const outsider = await organizationWithKey(gateway);
    expect((await get('/v1/events', outsider.key).expect(200)).body.data).toEqual([]);
    await get(`/v1/events/${started}`, outsider.key).expect(404);
    await get(`/v1/events/${newId('evt')}`).expect(404);
    await get('/v1/events/evt_1').expect(404);
    const executionKey = await gateway.newKey(organizationId, 'execution');
    await get('/v1/events', executionKey).expect(403);
    await get(`/v1/events/${started}`, executionKey).expect(403);
  });

  it.each([
    ['type=execution.exploded', 'type', 'INVALID_VALUE'],
    ['execution_id=evt_1', 'execution_id', 'INVALID_FORMAT'],
    [`endpoint_id=${newId('wh')}`, 'endpoint_id', 'NOT_FOUND'],
    ['undelivered=yes', 'undelivered', 'INVALID_VALUE'],
    ['order=up', 'order', 'INVALID_VALUE'],
    ['created_after=yesterday', 'created_after', 'INVALID_FORMAT'],
    ['cursor=x', 'cursor', 'INVALID_CURSOR'],
    ['limit=101', 'limit', 'OUT_OF_RANGE'],
  ])('are not listed by %s', async (query, field, code) => {
    const { body } = await get(`/v1/events?${query}`).expect(400);
    expect(body.error.details).toEqual([expect.objectContaining({ field, code })]);
  });
});

describe('undelivered events', () => {
  const deliver = (
    executionId: string,
    endpointId: string | null,
    state: 'delivered' | 'failed' | 'pending',
  ) => insertDelivery(gateway.context.db, { organizationId, endpointId, state, executionId });

  it('are those with an unsuccessful delivery or without one', async () => {
    const endpoint = await newEndpoint();
    const [got, missed, halfGot, alone] = [
      await complete(),
      await complete(),
      await complete(),
      await complete(),
    ];
    await deliver(got, endpoint, 'delivered');
    await deliver(got, null, 'delivered');
    await deliver(missed, endpoint, 'failed');
    await deliver(halfGot, endpoint, 'delivered');
    await deliver(halfGot, null, 'pending');
    const { data } = await list('undelivered=true&type=execution.completed');
    expect(data).toHaveLength(3);
    expect(await ids('type=execution.completed&undelivered=false')).toHaveLength(4);
    expect(await ids(`undelivered=true&type=execution.completed&execution_id=${got}`)).toEqual([]);
    expect(await ids(`undelivered=true&execution_id=${alone}`)).toHaveLength(2);
  });

  it('of an endpoint are those that it subscribes to and has not received', async () => {
    const other = await newEndpoint();
    const endpoint = await newEndpoint({ events: ['execution.completed', 'endpoint.*'], models: ['writer'] });
    const [got, missed, unsent] = [await complete(), await complete(), await complete()];
    await complete('painter');
    await deliver(got, endpoint, 'delivered');
    await deliver(missed, endpoint, 'failed');
    await deliver(unsent, other, 'delivered');
    await tellOf(endpoint);
    const about = await tellOf(other);
    const expected = [(await eventsOf(missed))[1], (await eventsOf(unsent))[1], about].toSorted();
    expect((await ids(`undelivered=true&endpoint_id=${endpoint}`)).toSorted()).toEqual(expected);
    expect(await ids(`undelivered=true&endpoint_id=${endpoint}&type=endpoint.failing`)).toEqual([about]);
    expect(await ids(`endpoint_id=${endpoint}`)).toHaveLength(4);
    expect(await ids(`endpoint_id=${other}&type=endpoint.*`)).toEqual([]);
  });

  it('are found behind thousands of delivered ones, page by page', async () => {
    const { rows } = await pool().query<{ id: string }>(
      `WITH v AS (
         INSERT INTO events (id, organization_id, execution_id, type, body, fanned_out_at, created_at)
         SELECT event_id(x, 'execution.completed'), $1, x, 'execution.completed', '{}', now(),
           '2026-01-01Z'::timestamptz + n * interval '1 second'
         FROM (SELECT n, new_id('exec') AS x FROM generate_series(1, 5100) AS n OFFSET 0) AS made
         RETURNING id, created_at
       ), d AS (
         INSERT INTO deliveries (id, event_id, organization_id, lane, url, state, expires_at, finished_at)
         SELECT delivery_id(id, NULL), id, $1, 'lane', 'https://example.com/', 'delivered', now(), now()
         FROM v WHERE created_at <> '2026-01-01 00:00:01Z'
       )
       SELECT id FROM v WHERE created_at = '2026-01-01 00:00:01Z'`,
      [organizationId],
    );
    const first = await list('undelivered=true');
    expect(first).toEqual({ data: [], has_more: true, next_cursor: expect.stringMatching(/^evt_/) });
    const endpoint = await newEndpoint({ models: ['painter'] });
    for (const query of ['', '&undelivered=true']) {
      const page = await list(`endpoint_id=${endpoint}${query}`);
      expect(page).toEqual({ data: [], has_more: true, next_cursor: first.next_cursor });
      const rest = await list(`endpoint_id=${endpoint}${query}&cursor=${page.next_cursor}`);
      expect(rest).toEqual({ data: [], has_more: false, next_cursor: null });
    }
    await pool().query(`UPDATE events SET body = $2 WHERE id = $1`, [rows[0]?.id, '{"it":"was missed"}']);
    expect(await list(`undelivered=true&cursor=${first.next_cursor}`)).toEqual({
      data: [{ it: 'was missed' }],
      has_more: false,
      next_cursor: null,
    });
  });

  it('are listed only while deliveries are kept', async () => {
    await pool().query(`SELECT make_partitions('2025-01-01'::date, '2025-01-01'::date)`);
    const executionId = 'exec_01946000-0000-7000-8000-00000000000c';
    const { eventId } = await insertDelivery(gateway.context.db, {
      organizationId,
      endpointId: null,
      state: 'failed',
      executionId,
    });
    expect(await ids('undelivered=true')).toEqual([eventId]);
    await pool().query('SELECT drop_deliveries(30)');
    expect(await ids('undelivered=true')).toEqual([]);
    expect(await ids('')).toEqual([eventId]);
  });

  it("can be read with the gateway's database role", async () => {
    const url = asRole(gateway.servers.databaseUrl, 'holdfast_gateway');
    const db = openDatabase({ url, poolSize: 1, applicationName: 'test' });
    await complete();
    const options = { filter: { models: ['writer'] }, isAscending: true, limit: 10 };
    for (const to of [null, newId('wh')]) {
      expect((await listEvents(db, organizationId, { ...options, undelivered: { to } })).rows).toHaveLength(
        2,
      );
    }
    await db.close();
  });
});
