import { until } from '@holdfast/testkit/until';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { eventsOf, readEvents, type ServedEvent, serve } from '../../testing/readEvents.ts';
import {
  openTestGateway,
  organizationWithKey,
  startTestGateway,
  type TestGateway,
} from '../../testing/testGateway.ts';

const gateway = await startTestGateway();
/** Another replica. */
const other = await openTestGateway(gateway.servers, { EVENT_STREAMS_PER_KEY: '2', EVENT_STREAMS: '3' });
const [served, servedByOther] = await Promise.all([serve(gateway), serve(other)]);
const { key } = await organizationWithKey(gateway, { balance: '100' });

afterEach(async () => {
  await until(
    'no execution is watched',
    () => gateway.context.watcher.size() + other.context.watcher.size() === 0,
  );
});

afterAll(async () => {
  await Promise.all([served.close(), servedByOther.close()]);
  await other.close();
  await gateway.close();
});

async function create(): Promise<string> {
  const sent = gateway.client(key).post('/v1/executions');
  return (await sent.send({ model: 'writer', input: { prompt: 'a' } }).expect(202)).body.id;
}

type Change = Parameters<TestGateway['context']['db']['prisma']['execution']['update']>[0]['data'];
const change = (id: string, data: Change) =>
  gateway.context.db.prisma.execution.update({ where: { id }, data });
const complete = (id: string) =>
  change(id, { status: 'COMPLETED', completedAt: new Date(), cost: '0.01', output: { text: 'hello' } });
const log = (logs: string) => ({ logs, logsTotal: Array.from(logs).length });

function follow(id: string, options: { from?: string; at?: string; as?: string; signal?: AbortSignal } = {}) {
  const { from, at = served.url, as = key, signal } = options;
  return fetch(`${at}/v1/executions/${id}/events`, {
    headers: { Authorization: `Bearer ${as}`, ...(from !== undefined && { 'Last-Event-ID': from }) },
    ...(signal && { signal }),
  });
}

async function nextOf(events: AsyncGenerator<ServedEvent>): Promise<ServedEvent> {
  const { value } = await events.next();
  return value as ServedEvent;
}

const brief = ({ id, event, data }: ServedEvent) => [id, event, (data as { status?: string }).status ?? data];
const all = async (response: Response) => (await eventsOf(response)).map(brief);

describe('GET /v1/executions/{id}/events', () => {
  it('streams status, progress and log lines as they arrive, and ends after the final status', async () => {
    const id = await create();
    const response = await follow(id);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('x-ratelimit-limit')).toBe('3000');
    const events = readEvents(response);
    expect(brief(await nextOf(events))).toEqual(['0:::0', 'status', 'PENDING']);
    await change(id, { status: 'PROCESSING', progress: 0.25, queuePosition: 2 });
    expect(brief(await nextOf(events))).toEqual(['1:::0', 'status', 'PROCESSING']);
    expect(brief(await nextOf(events))).toEqual([
      '1:0.25:2:0',
      'progress',
      { progress: 0.25, queue_position: 2 },
    ]);
    await change(id, log('one\ntwo\nthr'));
    expect(brief(await nextOf(events))).toEqual(['1:0.25:2:8', 'log', { lines: ['one', 'two'] }]);
    await change(id, log('one\ntwo\nthree'));
    await complete(id);
    expect(brief(await nextOf(events))).toEqual(['1:0.25:2:13', 'log', { lines: ['three'] }]);
    const last = await nextOf(events);
    expect(brief(last)).toEqual(['3:0.25:2:13', 'status', 'COMPLETED']);
    expect(last.data).toMatchObject({ id, progress: 1, queue_position: null, result: { text: 'hello' } });
    expect(last.data).not.toHaveProperty('logs');
    expect((await events.next()).done).toBe(true);
  });

  it('resumes at another gateway, and is 204 when there are no further events', async () => {
    const id = await create();
    await change(id, { status: 'PROCESSING', ...log('one\ntwo\n') });
    const leaving = new AbortController();
    const events = readEvents(await follow(id, { signal: leaving.signal }));
    await nextOf(events);
    const { id: from } = await nextOf(events);
    expect(from).toBe('1:::8');
    leaving.abort();
    await change(id, { progress: 0.5, ...log('one\ntwo\nthree\n') });
    const resumed = readEvents(await follow(id, { from, at: servedByOther.url }));
    expect(brief(await nextOf(resumed))).toEqual([
      '1:0.5::8',
      'progress',
      { progress: 0.5, queue_position: null },
    ]);
    expect(brief(await nextOf(resumed))).toEqual(['1:0.5::14', 'log', { lines: ['three'] }]);
    await complete(id);
    const ending = await nextOf(resumed);
    expect(brief(ending)).toEqual(['3:0.5::14', 'status', 'COMPLETED']);
    expect((await resumed.next()).done).toBe(true);
    expect((await follow(id, { from: ending.id })).status).toBe(204);
  });

  it('gives two streams at different positions what each is missing', async () => {
    const id = await create();
    await change(id, { status: 'PROCESSING', ...log('one\ntwo\n') });
    const [first, second] = [readEvents(await follow(id)), readEvents(await follow(id, { from: '1:::4' }))];
    expect(brief(await nextOf(second))).toEqual(['1:::8', 'log', { lines: ['two'] }]);
    await nextOf(first);
    expect(brief(await nextOf(first))).toEqual(['1:::8', 'log', { lines: ['one', 'two'] }]);
    await change(id, log('one\ntwo\nthree\n'));
    for (const events of [first, second]) {
      expect(brief(await nextOf(events))).toEqual(['1:::14', 'log', { lines: ['three'] }]);
    }
    await complete(id);
    for (const events of [first, second]) expect((await nextOf(events)).event).toBe('status');
    for (const events of [first, second]) await events.next();
  });

  it('streams the kept log and the status of an ended execution', async () => {
    const id = await create();
    const line = `${'x'.repeat(99)}\n`;
    await change(id, { logs: line.repeat(655), logsTotal: 100_000n });
    await complete(id);
    const events = await eventsOf(await follow(id));
    const lines = events.flatMap(({ data }) => (data as { lines?: string[] }).lines ?? []);
    expect(lines).toEqual(Array(655).fill('x'.repeat(99)));
    expect(events.length).toBeGreaterThan(2);
    expect(events.at(-1)).toMatchObject({ id: '3:::100000', event: 'status' });
  });

  it('streams only the status of an erased execution', async () => {
    const id = await create();
    await change(id, log('a secret\n'));
    await complete(id);
    await gateway.client(key).delete(`/v1/executions/${id}`).expect(200);
    expect(await all(await follow(id))).toEqual([['3:::0', 'status', 'COMPLETED']]);
  });

  it('is 404 for another organization and for an invalid id', async () => {
    const id = await create();
    const { key: outsider } = await organizationWithKey(gateway);
    expect((await follow(id, { as: outsider })).status).toBe(404);
    expect((await follow('exec_nope')).status).toBe(404);
    expect((await follow(id, { as: 'sk_x' })).status).toBe(401);
  });

  it('limits open streams per key and per gateway, and closed ones make room', async () => {
    const id = await create();
    const { key: second } = await organizationWithKey(gateway);
    const leaving = new AbortController();
    const at = servedByOther.url;
    await Promise.all([1, 2].map(() => follow(id, { at, signal: leaving.signal })));
    const refused = await follow(id, { at });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '15']);
    expect(await refused.json()).toMatchObject({ error: { code: 'RATE_LIMITED' } });
    expect((await follow(id, { at, as: second })).status).toBe(404);
    expect(other.context.streams.open()).toBe(2);
    leaving.abort();
    await until('they are gone', () => other.context.streams.open() === 0);
    await complete(id);
    expect(await all(await follow(id, { at }))).toHaveLength(1);
  });

  it('responds to HEAD at once', async () => {
    const id = await create();
    const response = await fetch(`${served.url}/v1/executions/${id}/events`, {
      method: 'HEAD',
      headers: { Authorization: `Bearer ${key}` },
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
  });
});

describe('GET /v1/executions/{id}?wait', () => {
  const read = (id: string, wait: string | number, as = key) =>
    gateway.client(as).get(`/v1/executions/${id}?wait=${wait}`);

  it('waits until the status changes', async () => {
    const id = await create();
    const response = read(id, 60).then(({ body }) => body);
    await until('it waits', () => gateway.context.watcher.size() === 1);
    await change(id, { progress: 0.1 });
    await change(id, { status: 'PROCESSING' });
    expect(await response).toMatchObject({ id, status: 'PROCESSING', progress: 0.1 });
  });

  it('responds after the time has passed, and at once for a final status', async () => {
    const id = await create();
    const startedAt = performance.now();
    expect((await read(id, 1).expect(200)).body.status).toBe('PENDING');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1000);
    await complete(id);
    expect((await read(id, 60).expect(200)).body.status).toBe('COMPLETED');
  });

  it('stops waiting when the client disconnects', async () => {
    const id = await create();
    const leaving = new AbortController();
    const headers = { Authorization: `Bearer ${key}` };
    const response = fetch(`${served.url}/v1/executions/${id}?wait=60`, { headers, signal: leaving.signal });
    await until('it waits', () => gateway.context.watcher.size() === 1);
    leaving.abort();
    await expect(response).rejects.toThrow();
    await until('it waits no more', () => gateway.context.watcher.size() === 0);
  });

  it.each(['61', '-1', '1.5', 'x'])('refuses wait=%s', async (wait) => {
    const { body } = await read(await create(), wait).expect(400);
    expect(body.error.details[0].field).toBe('wait');
  });

  it('is 404 at once for another organization', async () => {
    const { key: outsider } = await organizationWithKey(gateway);
    await read(await create(), 60, outsider).expect(404);
  });
});

it('a key revoked at one gateway stops reading at another within 5 s, including its open streams', async () => {
  const id = await create();
  const { body: made } = await gateway
    .client(key)
    .post('/v1/api-keys')
    .send({ name: 'reader', scopes: ['executions:read'] })
    .expect(201);
  const stream = await follow(id, { at: servedByOther.url, as: made.key });
  const waiting = fetch(`${servedByOther.url}/v1/executions/${id}?wait=60`, {
    headers: { Authorization: `Bearer ${made.key}` },
  });
  await until('both are open', () => other.context.watcher.size() === 2);
  await gateway.client(key).delete(`/v1/api-keys/${made.id}`).expect(200);
  await all(stream);
  await change(id, { status: 'PROCESSING' });
  expect((await waiting).status).toBe(401);
}, 20_000);

it('a stopping gateway responds to waiting requests and ends its streams, which resume elsewhere', async () => {
  const id = await create();
  const stopping = await openTestGateway(gateway.servers);
  const { url, close } = await serve(stopping);
  const response = await follow(id, { at: url });
  const events = readEvents(response);
  const { id: from } = await nextOf(events);
  const waiting = fetch(`${url}/v1/executions/${id}?wait=60`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  await until('both watch', () => stopping.context.watcher.size() === 2);
  stopping.context.watcher.close();
  expect((await waiting).status).toBe(200);
  expect((await events.next()).done).toBe(true);
  await complete(id);
  expect(await all(await follow(id, { from }))).toEqual([['3:::0', 'status', 'COMPLETED']]);
  await close();
  await stopping.close();
});
