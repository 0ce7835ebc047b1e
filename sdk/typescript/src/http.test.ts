import { afterEach, describe, expect, it } from '@jest/globals';
import type { Holdfast } from './client.ts';
import { ConnectionError, NotFoundError, RateLimitError, ServerError } from './errors.ts';
import { cut, executionAs, json, refusal, type Step, startScriptedServer } from './testing/scriptedServer.ts';

let server: Awaited<ReturnType<typeof startScriptedServer>>;
const start = async (...steps: Step[]) => {
  server = await startScriptedServer(...steps);
  return server.client();
};
afterEach(() => server.close());

const created = json(202, executionAs('PENDING'));
const body = { model: 'm', input: {} };
const keys = () => server.received.map(({ headers }) => headers['idempotency-key']);

describe('a create', () => {
  it('is not repeated after an error that is not marked retryable, and the error has the key', async () => {
    const client = await start(refusal(500, 'INTERNAL_ERROR', false));
    const error = await client.executions
      .create(body, { idempotencyKey: 'order-1' })
      .catch((one: unknown) => one);
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ code: 'INTERNAL_ERROR', idempotencyKey: 'order-1', requestId: 'req_1' });
    expect(server.received).toHaveLength(1);
  });

  it('is what was passed, also if the caller changes it while it is sent', async () => {
    const client = await start(cut, created);
    const changing = { model: 'm', input: { seed: 1 } };
    const creating = client.executions.create(changing);
    changing.input.seed = 2;
    await creating;
    expect(server.received.map((request) => JSON.parse(request.body))).toEqual([
      { model: 'm', input: { seed: 1 } },
      { model: 'm', input: { seed: 1 } },
    ]);
  });

  it('ends after maxRetries repetitions', async () => {
    await start(cut);
    const client = server.client({ maxRetries: 1 });
    await expect(client.executions.create(body)).rejects.toMatchObject({ code: 'CONNECTION_FAILED' });
    expect(new Set(keys()).size).toBe(1);
    expect(server.received).toHaveLength(2);
  });

  it('does not wait for a Retry-After beyond the deadline', async () => {
    await start(refusal(429, 'RATE_LIMITED', true, { 'retry-after': '3600' }));
    const error = await server
      .client()
      .executions.create(body)
      .catch((one: unknown) => one);
    expect(error).toBeInstanceOf(RateLimitError);
    expect(server.received).toHaveLength(1);
  });
});

describe('a request', () => {
  it('sends the headers of the caller in place of its own, in whatever case they are written', async () => {
    await start(json(200, { available: '1.00' }));
    const headers = { 'user-agent': 'mine', ACCEPT: 'text/html', authorization: 'Bearer theirs' };
    await server.client({ headers }).balance.get();
    expect(server.received[0]?.headers).toMatchObject({
      'user-agent': 'mine',
      accept: 'text/html',
      authorization: 'Bearer sk_test',
    });
  });

  it('may take for ever', async () => {
    await start(json(200, { available: '1.00' }));
    const client = server.client({ timeout: Number.POSITIVE_INFINITY });
    expect(await client.balance.get({ maxRetries: 0 })).toEqual({ available: '1.00' });
  });

  it('that shows a secret once is not repeated when it may have been processed', async () => {
    const client = await start(cut);
    await expect(client.apiKeys.create({ name: 'CI' })).rejects.toBeInstanceOf(ConnectionError);
    expect(server.received).toHaveLength(1);
  });

  it.each<[string, (client: Holdfast) => PromiseLike<unknown>, object]>([
    ['a balance', (client) => client.balance.get(), { available: '1.00' }],
    ['a token', (client) => client.executions.createToken('exec_1'), { token: 'ext_1' }],
    ['an upload', (client) => client.files.confirm('file_1'), { file_id: 'file_1' }],
  ])('for %s is repeated after the JSON of a proxy', async (_name, call, body) => {
    const client = await start(json(200, { status: 'ok' }), json(200, body));
    expect(await call(client)).toEqual(body);
  });

  it('for a new key fails with the JSON of a proxy, and is not repeated', async () => {
    const client = await start(json(200, { status: 'ok' }));
    await expect(client.apiKeys.create({ name: 'CI' })).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
    expect(server.received).toHaveLength(1);
  });

  it.each(['', '.', '..'])('with the id %j is refused, for it would be another request', async (id) => {
    const client = await start(json(200, { deleted: true }));
    const calls: (() => PromiseLike<unknown>)[] = [
      () => client.executions.get(id),
      () => client.executions.result(id),
      () => client.executions.wait(id),
      () => client.executions.events(id).next(),
      () => client.webhooks.endpoints.delete(id),
      () => client.files.bytes(id),
    ];
    for (const call of calls) {
      const error = await call().then(
        () => null,
        (reason: unknown) => reason,
      );
      expect([error instanceof TypeError, String(error)]).toEqual([
        true,
        expect.stringContaining('Is an id empty?'),
      ]);
    }
    expect(server.received).toEqual([]);
  });

  it('cannot take the key to another host', async () => {
    const client = await start(json(200, {}));
    const request = client.request({ method: 'GET', path: '@elsewhere.test/' });
    await expect(request).rejects.toBeInstanceOf(TypeError);
  });

  it('ends after its timeout, also in the middle of a body', async () => {
    const client = await start((response) => void response.writeHead(200).write('{"available":'));
    const reading = client.balance.get({ timeout: 100, maxRetries: 0 });
    await expect(reading).rejects.toMatchObject({ code: 'REQUEST_TIMED_OUT', retryable: true });
  });

  it('carries the key, and does not follow a redirect with it', async () => {
    const client = await start((response) => void response.writeHead(302, { location: '/elsewhere' }).end());
    await expect(client.balance.get()).rejects.toMatchObject({ code: 'HTTP_302' });
    expect(server.received.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/v1/balance', 'Bearer sk_test'],
    ]);
  });

  it('is aborted with its signal, with the reason as the cause', async () => {
    const client = await start(() => {});
    const reason = new Error('enough');
    const aborting = new AbortController();
    const reading = client.balance.get({ signal: aborting.signal });
    aborting.abort(reason);
    await expect(reading).rejects.toMatchObject({ name: 'AbortError', cause: reason });
  });

  it('returns the raw response on demand', async () => {
    const client = await start(json(200, { available: '1.00' }, { 'x-request-id': 'req_7' }));
    const { data, response } = await client.balance.get().withResponse();
    expect([data.available, response.status, response.headers.get('x-request-id')]).toEqual([
      '1.00',
      200,
      'req_7',
    ]);
  });

  it('fails with the class of its status', async () => {
    const client = await start(refusal(404, 'NOT_FOUND', false));
    await expect(client.executions.get('exec_2')).rejects.toBeInstanceOf(NotFoundError);
  });
});

describe('a deletion', () => {
  const unknown = refusal(404, 'NOT_FOUND', false);

  it('of an endpoint succeeds when a try whose response was lost has deleted it', async () => {
    const client = await start(cut, unknown);
    const { data, response } = await client.webhooks.endpoints.delete('wh_1').withResponse();
    expect([data, response.status]).toEqual([{ id: 'wh_1', deleted: true }, 404]);
  });

  it('of a file succeeds as well', async () => {
    const client = await start(cut, unknown);
    expect(await client.files.delete('file_1')).toEqual({ file_id: 'file_1', deleted: true });
  });

  it.each<[string, Step[]]>([
    ['at once', [unknown]],
    [
      'after a refusal that did nothing',
      [refusal(429, 'RATE_LIMITED', true, { 'retry-after': '0' }), unknown],
    ],
    ['as the 404 of a proxy', [cut, (response) => void response.writeHead(404).end('<html>')]],
  ])('of an endpoint fails when it is unknown %s', async (_name, steps) => {
    const client = await start(...steps);
    await expect(client.webhooks.endpoints.delete('wh_1')).rejects.toBeInstanceOf(NotFoundError);
  });
});

describe('a list', () => {
  it('reads no page beyond the items that are wanted', async () => {
    const client = await start(
      json(200, { data: [{ id: 'a' }, { id: 'b' }], has_more: true, next_cursor: 'c1' }),
    );
    expect(await client.executions.list().toArray(2)).toHaveLength(2);
    expect(await client.executions.list().toArray(0)).toEqual([]);
    expect(server.received).toHaveLength(1);
  });

  it('reads page after page, and ends when a server repeats a cursor', async () => {
    const page = (id: string, next: string) =>
      json(200, { data: [{ id }], has_more: true, next_cursor: next });
    const client = await start(page('a', 'c1'), page('b', 'c2'), page('c', 'c2'));
    expect((await client.executions.list({ limit: 1 }).toArray()).map(({ id }) => id)).toEqual([
      'a',
      'b',
      'c',
    ]);
    expect(server.received.map(({ path }) => path)).toEqual([
      '/v1/executions?limit=1',
      '/v1/executions?limit=1&cursor=c1',
      '/v1/executions?limit=1&cursor=c2',
    ]);
  });
});
