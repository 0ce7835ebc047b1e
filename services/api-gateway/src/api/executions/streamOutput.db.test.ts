import { connect } from 'node:net';
import { recordOutcomes } from '@holdfast/db/attempts/outcomes';
import { auditLedger } from '@holdfast/db/audit/audit';
import { completeExecutions } from '@holdfast/db/executions/endings';
import { startExecutions } from '@holdfast/db/executions/start';
import { clearStreams, takeStream, writeStreamEvents } from '@holdfast/db/streams';
import { newId } from '@holdfast/domain/ids';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openBodyMemory } from '../../http/bodyLimits.ts';
import { eventsOf, readEvents, type ServedEvent, serve } from '../../testing/readEvents.ts';
import { openTestGateway, organizationWithKey, startTestGateway } from '../../testing/testGateway.ts';

const gateway = await startTestGateway();
const served = await serve(gateway);
const { key } = await organizationWithKey(gateway, { balance: '100' });
const { db, outputReader } = gateway.context;

beforeAll(async () => {
  for (const [slug, stream, on_cancel] of [
    ['poet-charge', 'text', 'charge'],
    ['poet-release', 'text', 'release'],
    ['painter-streams', 'image', 'charge'],
  ])
    await db.pool.query(
      `INSERT INTO models (slug, definition, is_active) SELECT $1, definition || $2::jsonb, true FROM models WHERE slug = 'writer'`,
      [slug, JSON.stringify({ slug, stream, on_cancel })],
    );
});
afterAll(async () => {
  await served.close();
  await gateway.close();
});

type Created = { id: string; urls: { stream: string } };

async function create(model = 'poet-charge', fields: object = { stream: true }): Promise<Created> {
  const sent = gateway.client(key).post('/v1/executions');
  return (await sent.send({ model, input: { prompt: 'a' }, ...fields }).expect(202)).body;
}

/** What a dispatcher and the ledger do with it. */
async function run({ id }: Created, kind: 'text' | 'image' = 'text') {
  const [started] = await startExecutions(db, [{ id, connection: 'a', target: 'm' }], 30);
  if (!started) throw new Error('not started');
  const writer = { executionId: id, attempt: 1, claims: 0 };
  await takeStream(db, writer, kind);
  let eventsBefore = 0;
  let text = '';
  return {
    async show(...pieces: (string | { image: string })[]): Promise<void> {
      const shown = pieces.map((piece) => (typeof piece === 'string' ? { delta: piece } : piece));
      const events = shown.map((data) => ({ type: 'output', data: JSON.stringify(data) }) as const);
      text += pieces.filter((piece) => typeof piece === 'string').join('');
      const write = { ...writer, eventsBefore, events, cost: '0.005', inputTokens: 1, outputTokens: 2 };
      expect(await writeStreamEvents(db, [write])).toEqual([id]);
      eventsBefore += events.length;
    },
    async complete(whole: string | Record<string, unknown> = text): Promise<void> {
      const outcome = {
        ok: true,
        output: typeof whole === 'string' ? { text: whole } : whole,
        inputTokens: 1,
        outputTokens: 2,
        cost: '0.01',
        finishReason: 'stop',
      } as const;
      const { attemptId } = started;
      await recordOutcomes(db, [{ attemptId, state: 'succeeded', outcome }]);
      await completeExecutions(db, [attemptId]);
    },
  };
}

type Asked = { query?: string; from?: string; as?: string | null; signal?: AbortSignal; method?: string };

function read(id: string, { query = '', from, as = key, signal, method = 'GET' }: Asked = {}) {
  return fetch(`${served.url}/v1/executions/${id}/stream${query}`, {
    method,
    headers: {
      ...(as !== null && { Authorization: `Bearer ${as}` }),
      ...(from !== undefined && { 'Last-Event-ID': from }),
    },
    ...(signal && { signal }),
  });
}

const tokenOf = ({ urls }: Created) => new URL(urls.stream).search;
const brief = ({ id, event, data }: ServedEvent) => {
  const { delta, status } = data as { delta?: unknown; status?: string };
  return [id, event, delta ?? status ?? data];
};
const all = async (response: Response) => (await eventsOf(response)).map(brief);
const statusOf = async (id: string) =>
  (await gateway.client(key).get(`/v1/executions/${id}`).expect(200)).body;

describe('GET /v1/executions/{id}/stream', () => {
  it('streams the output as it is stored, from any position, and ends with what it cost', async () => {
    const created = await create();
    const events = readEvents(await read(created.id));
    const { show, complete } = await run(created);
    await show('Once ', 'upon ');
    expect(brief((await events.next()).value)).toEqual(['1', 'output', 'Once ']);
    const resumed = readEvents(await read(created.id, { from: '1' }));
    await show('a time');
    expect(brief((await resumed.next()).value)).toEqual(['2', 'output', 'upon ']);
    expect(brief((await resumed.next()).value)).toEqual(['3', 'output', 'a time']);
    await complete();
    const done = (await resumed.next()).value;
    expect(done).toEqual({
      id: '4',
      event: 'done',
      data: {
        status: 'COMPLETED',
        usage: { input_tokens: 1, output_tokens: 2 },
        cost: '0.01',
        finish_reason: 'stop',
        error: null,
      },
    });
    expect((await resumed.next()).done).toBe(true);
    expect((await events.next()).value.id).toBe('2');
    const { id } = created;
    const rest = [
      ['3', 'output', 'a time'],
      ['4', 'done', 'COMPLETED'],
    ];
    expect(await all(await read(id, { query: '?starting_after=2' }))).toEqual(rest);
    expect(await all(await read(id, { query: '?starting_after=1', from: '2' }))).toEqual(rest);
    expect((await all(await read(id, { from: 'no id of ours' }))).length).toBe(4);
    expect((await read(id, { from: '4' })).status).toBe(204);
    expect((await read(id, { query: '?starting_after=x' })).status).toBe(400);
  });

  it('responds to HEAD at once, and is 404 for another organization', async () => {
    const { id } = await create();
    const { status, headers } = await read(id, { method: 'HEAD' });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const { key: outsider } = await organizationWithKey(gateway);
    expect((await read(id, { as: outsider })).status).toBe(404);
    await until('none is open', () => gateway.context.streams.open() === 0);
  });

  it('is read by the token of its URL, by no other token, and by no key in a URL', async () => {
    const [created, another] = [await create(), await create()];
    const { show, complete } = await run(created);
    await show('text');
    await complete();
    const { id } = created;
    expect(await all(await read(id, { query: tokenOf(created), as: null }))).toHaveLength(2);
    const statusBy = async (query: string) => (await read(id, { query, as: null })).status;
    expect(await statusBy(tokenOf(another))).toBe(404);
    expect(await statusBy(`${tokenOf(created).slice(0, -1)}!`)).toBe(401);
    expect(await statusBy(`?token=${key}`)).toBe(401);
    expect(await statusBy('')).toBe(401);
    const status = await fetch(`${served.url}/v1/executions/${id}${tokenOf(created)}`);
    expect(status.status).toBe(401);
  });

  it('has one event with the whole of an execution that was not created with `stream`', async () => {
    const created = await create('poet-charge', {});
    expect(created.urls.stream).not.toContain('token');
    const response = await read(created.id);
    await (await run(created)).complete('hello');
    expect(await all(response)).toEqual([
      ['1', 'output', 'hello'],
      ['2', 'done', 'COMPLETED'],
    ]);
    expect((await read(created.id, { from: '2' })).status).toBe(204);
    const sent = gateway.client(key).post('/v1/executions');
    const refused = await sent.send({ model: 'writer', input: { prompt: 'a' }, stream: true }).expect(400);
    expect(refused.body.error.details).toMatchObject([{ field: 'stream', code: 'UNSUPPORTED' }]);
  });

  it('of partial images ends with the whole output, before and after they are gone', async () => {
    const created = await create('painter-streams');
    const { id } = created;
    const images = [{ file_id: newId('file'), format: 'png' }];
    const { show, complete } = await run(created, 'image');
    await show({ image: 'file_1' }, { image: 'file_2' });
    await complete({ images });
    const rest = [
      ['3', 'output', { images }],
      ['4', 'done', 'COMPLETED'],
    ];
    const partial = (event: number) => [String(event), 'output', { image: `file_${event}` }];
    expect(await all(await read(id))).toEqual([partial(1), partial(2), ...rest]);
    expect(await all(await read(id, { from: '2' }))).toEqual(rest);
    expect(await all(await read(id, { from: '3' }))).toEqual(rest.slice(1));
    expect(await clearStreams(db, -1, 100)).toBeGreaterThan(0);
    expect(await all(await read(id))).toEqual(rest);
    expect(await all(await read(id, { from: '1' }))).toEqual([['', 'reset', { attempt: null }], ...rest]);
    expect((await read(id, { from: '4' })).status).toBe(204);
  });

  it.each([{ stream: true }, {}])('of nothing has `done` as its first event: %j', async (fields) => {
    const { id } = await create('poet-charge', fields);
    await gateway.client(key).post(`/v1/executions/${id}/cancel`).expect(200);
    expect(await all(await read(id))).toEqual([['1', 'done', 'CANCELLED']]);
    expect((await read(id, { from: '1' })).status).toBe(204);
  });

  it.each(['COMPLETED', 'CANCELLED'])(
    'has one event with the whole an hour after the end: %s',
    async (status) => {
      const created = await create();
      const { id } = created;
      const { show, complete } = await run(created);
      await show('Once ', 'upon ', 'a time');
      if (status === 'COMPLETED') await complete();
      else await gateway.client(key).post(`/v1/executions/${id}/cancel`).expect(200);
      expect(await clearStreams(db, 3600, 100)).toBe(0);
      await db.pool.query(
        `UPDATE streams SET closed_at = closed_at - interval '61 min' WHERE execution_id = $1`,
        [id],
      );
      expect(await clearStreams(db, 3600, 100)).toBe(1);
      const whole = [
        ['3', 'output', 'Once upon a time'],
        ['4', 'done', status],
      ];
      expect(await all(await read(id))).toEqual(whole);
      expect(await all(await read(id, { from: '2' }))).toEqual([['', 'reset', { attempt: null }], ...whole]);
      expect(await all(await read(id, { from: '3' }))).toEqual(whole.slice(1));
      expect((await read(id, { from: '4' })).status).toBe(204);
    },
  );

  it('holds little for a reader that reads nothing, and continues where it was', async () => {
    const created = await create();
    const { show } = await run(created);
    await show('first');
    const total = 12_000;
    await db.pool.query(
      `INSERT INTO stream_events (execution_id, number, type, data)
       SELECT $1, n, 'output', json_build_object('delta', repeat('x', 4000)) FROM generate_series(2, $2::int) n`,
      [created.id, total],
    );
    await db.pool.query('UPDATE streams SET events = $2 WHERE execution_id = $1', [created.id, total]);
    let position = 0;
    const { add } = outputReader;
    outputReader.add = async (reader) => {
      position = Math.max(position, reader.after);
      return await add(reader);
    };
    const { hostname, port } = new URL(served.url);
    const socket = connect(Number(port), hostname).pause();
    const path = `/v1/executions/${created.id}/stream`;
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    );
    let before = -1;
    await until('it is read no further', async () => {
      const isStill = position > 0 && position === before;
      before = position;
      await new Promise((resolve) => setTimeout(resolve, 200));
      return isStill && position === before;
    });
    expect(position).toBeLessThan(total / 2);
    let bytes = 0;
    socket.on('data', (chunk) => (bytes += chunk.length)).resume();
    await until('it has read on', () => position === total);
    expect(bytes).toBeGreaterThan(40_000_000);
    socket.destroy();
    outputReader.add = add;
    await until('it is gone', () => gateway.context.streams.open() === 0);
  }, 60_000);

  it('breaks off before an event that has no room in memory, and continues there', async () => {
    const created = await create();
    const { show, complete } = await run(created);
    await show('first', 'x'.repeat(100_000));
    const { responses } = gateway.context;
    gateway.context.responses = openBodyMemory(100_000, 'responses');
    expect(await all(await read(created.id))).toEqual([['1', 'output', 'first']]);
    gateway.context.responses = responses;
    await complete();
    expect(await all(await read(created.id, { from: '1' }))).toEqual([
      ['2', 'output', 'x'.repeat(100_000)],
      ['3', 'done', 'COMPLETED'],
    ]);
  });

  it('begins again, with nothing, for a reader in the middle of what was erased', async () => {
    const created = await create();
    const { id } = created;
    const { show, complete } = await run(created);
    await show('Once ', 'upon ');
    await complete();
    await gateway.client(key).delete(`/v1/executions/${id}`).expect(200);
    const end = ['3', 'done', 'COMPLETED'];
    expect(await all(await read(id, { from: '1' }))).toEqual([['', 'reset', { attempt: null }], end]);
    expect(await all(await read(id))).toEqual([end]);
  });

  it('has its token in the response of a create that waited, too', async () => {
    const sent = () => gateway.client(key).post('/v1/executions').set('Idempotency-Key', 'waits');
    const body = { model: 'poet-charge', input: { prompt: 'a' }, stream: true };
    const { body: created } = await sent().send(body).expect(202);
    await gateway.client(key).post(`/v1/executions/${created.id}/cancel`).expect(200);
    const { body: waited } = await sent().set('Prefer', 'wait').send(body).expect(202);
    expect(waited.status).toBe('CANCELLED');
    expect(await all(await read(created.id, { query: tokenOf(waited), as: null }))).toHaveLength(1);
  });

  it('changes no balance, however often it is read', async () => {
    const created = await create();
    const { show, complete } = await run(created);
    await show('text');
    await complete();
    const balance = async () => (await gateway.client(key).get('/v1/balance').expect(200)).body;
    const before = await balance();
    const reads = await Promise.all(
      Array.from({ length: 200 }, async () => await all(await read(created.id))),
    );
    expect(new Set(reads.map((events) => JSON.stringify(events))).size).toBe(1);
    expect(await balance()).toEqual(before);
    expect(await auditLedger(db)).toEqual([]);
  });
});

describe('a reader that disconnects', () => {
  async function leave(model: string, query: string): Promise<Created> {
    const created = await create(model);
    const { show } = await run(created);
    await show('text');
    const leaving = new AbortController();
    const signal = leaving.signal;
    const response = await read(created.id, { query: `${tokenOf(created)}${query}`, as: null, signal });
    await readEvents(response).next();
    leaving.abort();
    await until('it is gone', () => gateway.context.streams.open() === 0);
    return created;
  }

  it('cancels if it says so, and pays what was shown if the model says so', async () => {
    const [charged, free] = [
      await leave('poet-charge', '&cancel_on_disconnect=true'),
      await leave('poet-release', '&cancel_on_disconnect=true'),
    ];
    await until('both are cancelled', async () => (await statusOf(free.id)).status === 'CANCELLED');
    expect(await statusOf(charged.id)).toMatchObject({
      status: 'CANCELLED',
      cost: '0.005',
      partial_output: 'text',
      usage: { usage_estimated: true },
    });
    expect(await statusOf(free.id)).toMatchObject({ cost: null, partial_output: 'text' });
    expect(await auditLedger(db)).toEqual([]);
  });

  it('does not cancel otherwise', async () => {
    const { id } = await leave('poet-charge', '');
    expect((await statusOf(id)).status).toBe('PROCESSING');
  });

  it('may not cancel with a key that can only read', async () => {
    const { body } = await gateway
      .client(key)
      .post('/v1/api-keys')
      .send({ name: 'reader', scopes: ['executions:read'] })
      .expect(201);
    const { id } = await create();
    expect((await read(id, { query: '?cancel_on_disconnect=true', as: body.key })).status).toBe(403);
  });

  it('does not cancel when its gateway stops or its key is revoked, which ends the stream within 5 s', async () => {
    const { body: made } = await gateway
      .client(key)
      .post('/v1/api-keys')
      .send({ name: 'writer', scopes: ['executions:read', 'executions:write'] })
      .expect(201);
    const { id } = await create();
    const query = '?cancel_on_disconnect=true';
    const response = await read(id, { query, as: made.key });
    const stopping = await openTestGateway(gateway.servers);
    const { url, close } = await serve(stopping);
    const elsewhere = await fetch(`${url}/v1/executions/${id}/stream${query}`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    await until(
      'both are open',
      () => stopping.context.streams.open() + gateway.context.streams.open() === 2,
    );
    stopping.context.watcher.close();
    expect(await all(elsewhere)).toEqual([]);
    await gateway.client(key).delete(`/v1/api-keys/${made.id}`).expect(200);
    const revokedAtMs = performance.now();
    expect(await all(response)).toEqual([]);
    expect(performance.now() - revokedAtMs).toBeLessThan(5000);
    expect((await statusOf(id)).status).toBe('PENDING');
    await close();
    await stopping.close();
  }, 20_000);
});
