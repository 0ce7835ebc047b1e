import { createHash } from 'node:crypto';
import { newApiKey } from '@holdfast/domain/apiKey';
import { newId } from '@holdfast/domain/ids';
import { describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { gatewayOfTests, organizationWithKey } from '../testing/testGateway.ts';

const gateway = await gatewayOfTests();
const { organizationId, key } = await organizationWithKey(gateway, { balance: '100' });

const get = (path: string, as = key) => gateway.client(as).get(path);
const post = (path: string, as = key) => gateway.client(as).post(path);

/** Contract 10.1, 10.4 and 11.1 say what every refusal looks like. */
function expectError(response: Response, status: number, code: string): void {
  expect(response.body).toEqual({
    error: {
      code,
      message: expect.any(String),
      retryable: expect.any(Boolean),
      request_id: expect.stringMatching(/^req_[0-9a-f-]{36}$/),
      details: expect.any(Array),
      doc_url: expect.stringMatching(new RegExp(`^(http://gateway\\.test)?/docs/errors/${code}$`)),
    },
  });
  expect(response.status).toBe(status);
  expectHeaders(response);
  expect(response.headers['x-request-id']).toBe(response.body.error.request_id);
  expect(response.text).not.toMatch(/node_modules|\.ts:\d/);
}

function expectHeaders({ headers }: Response): void {
  expect(headers['x-request-id']).toMatch(/^req_[0-9a-f-]{36}$/);
  expect(Number(headers['x-ratelimit-limit'])).toBeGreaterThan(0);
  expect(Number(headers['x-ratelimit-remaining'])).toBeGreaterThanOrEqual(0);
  const inS = Number(headers['x-ratelimit-reset']) - Date.now() / 1000;
  expect(inS).toBeGreaterThan(-1);
  expect(inS).toBeLessThanOrEqual(61);
}

describe('authentication', () => {
  const changed = (text: string) => text.replace(/.$/, (last) => (last === '0' ? '1' : '0'));

  it.each([
    ['no header', () => undefined],
    ['another scheme', () => 'Basic YTpi'],
    ['no key', () => 'Bearer '],
    ['a key of another shape', () => 'Bearer sk_123'],
    ['a key with a wrong checksum', () => `Bearer ${changed(key)}`],
    ['an unknown key', () => `Bearer ${newApiKey()}`],
    ['a key in upper case', () => `Bearer ${key.toUpperCase()}`],
    ['a key and something more', () => `Bearer ${key} ${key}`],
    ['a very long key', () => `Bearer ${'a'.repeat(8000)}`],
  ])('%s is 401', async (_name, header) => {
    const value = header();
    const sent = request(gateway.app).get('/v1/executions');
    const response = await (value === undefined ? sent : sent.set('Authorization', value));
    expectError(response, 401, 'UNAUTHENTICATED');
    expect(response.headers['www-authenticate']).toBe('Bearer');
  });

  it('the scheme is case-insensitive', async () => {
    await request(gateway.app).get('/v1/balance').set('Authorization', `bearer ${key}`).expect(200);
  });

  it('a value past its grace period is no longer valid', async () => {
    const { organizationId: id } = await organizationWithKey(gateway);
    const old = await gateway.newKey(id);
    const hash = createHash('sha256').update(old).digest('hex');
    const past = new Date(Date.now() - 1000);
    await gateway.context.db.prisma.apiKeyValue.update({ where: { hash }, data: { validUntil: past } });
    expectError(await get('/v1/balance', old), 401, 'UNAUTHENTICATED');
  });

  it('a previous value works until the end of its grace period', async () => {
    const graced = await gateway.newKey(organizationId);
    const hash = createHash('sha256').update(graced).digest('hex');
    const soon = new Date(Date.now() + 4000);
    await gateway.context.db.prisma.apiKeyValue.update({ where: { hash }, data: { validUntil: soon } });
    await expectEventually(async () => (await get('/v1/balance', graced)).status, 401);
    expect(Date.now()).toBeGreaterThan(soon.getTime() - 50);
  });

  it('a revoked key stops working within 5 seconds', async () => {
    const revoked = await gateway.newKey(organizationId);
    await get('/v1/balance', revoked).expect(200);
    const hash = createHash('sha256').update(revoked).digest('hex');
    const { apiKeyId } = await gateway.context.db.prisma.apiKeyValue.findUniqueOrThrow({ where: { hash } });
    await gateway.context.db.prisma.apiKey.update({
      where: { id: apiKeyId },
      data: { revokedAt: new Date() },
    });
    await expectEventually(async () => (await get('/v1/balance', revoked)).status, 401);
  });
});

async function expectEventually(read: () => Promise<number>, wanted: number): Promise<void> {
  const giveUpAt = Date.now() + 6000;
  while (Date.now() < giveUpAt) {
    if ((await read()) === wanted) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(await read()).toBe(wanted);
}

describe('permissions', () => {
  it('an `execution` key may use only executions and files', async () => {
    const limited = await gateway.newKey(organizationId, 'execution');
    await get('/v1/executions', limited).expect(200);
    await get(`/v1/files/${newId('file')}`, limited).expect(404);
    await get('/v1/models', limited).expect(200);
    for (const path of ['/v1/balance', '/v1/api-keys', '/v1/webhooks/endpoints', '/v1/webhooks/secret']) {
      expectError(await get(path, limited), 403, 'FORBIDDEN');
    }
  });
});

describe('paths and methods', () => {
  it.each([
    '/v1',
    '/v1/nothing',
    '/v2/executions',
    '/v1/executions/a/b/c',
    '/v1/%E0%A4%A',
    '/v1/models/%00',
    '//x',
  ])('%s is 404', async (path) => {
    expectError(await get(path), 404, 'NOT_FOUND');
  });

  it.each([
    ['delete', '/v1/executions', 'POST, GET, HEAD'],
    ['put', '/v1/executions', 'POST, GET, HEAD'],
    ['post', '/v1/balance', 'GET, HEAD'],
    ['patch', '/v1/api-keys', 'GET, HEAD, POST'],
    ['options', '/v1/executions', 'POST, GET, HEAD'],
    ['get', '/v1/files/upload', 'POST'],
    ['get', '/v1/files/confirm', 'POST'],
  ] as const)('%s %s is 405 with Allow', async (method, path, allow) => {
    const response = await gateway.client(key)[method](path);
    expectError(response, 405, 'METHOD_NOT_ALLOWED');
    for (const one of allow.split(', ')) expect(response.headers.allow?.split(', ')).toContain(one);
  });

  it.each([
    '/storage',
    '/storage/',
    '/storage/files/x',
    '/storage/%E0%A4%A',
    '/storage/%00',
    '/storage/../x',
    '/storage/a?sig=%FF',
  ])('%s without a signature of ours is 403', async (path) => {
    expectError(await get(path), 403, 'FORBIDDEN');
    expectError(await request(gateway.app).put(path).send('bytes'), 403, 'FORBIDDEN');
  });

  it('no other method reaches the stored files', async () => {
    const response = await post('/storage/files/x');
    expectError(response, 405, 'METHOD_NOT_ALLOWED');
    expect(response.headers.allow).toBe('PUT, GET, HEAD');
  });

  it('HEAD responds like GET, without a body', async () => {
    const response = await gateway.client(key).head('/v1/balance');
    expect([response.status, response.text]).toEqual([200, undefined]);
    expectHeaders(response);
  });

  it('every response has a request id from the gateway, never the client’s', async () => {
    const response = await get('/v1/balance').set('X-Request-Id', 'mine').expect(200);
    expectHeaders(response);
    expect(response.headers['x-powered-by']).toBeUndefined();
  });
});

describe('bodies', () => {
  const send = (body: string | Buffer, type = 'application/json') =>
    post('/v1/executions')
      .set('Content-Type', type)
      .serialize((same) => same)
      .send(body);
  const deep = (levels: number) =>
    `{"model":"writer","input":{"prompt":${'['.repeat(levels)}${']'.repeat(levels)}}}`;
  const invalid = (body: string | Buffer) => async () =>
    expectError(await send(body), 400, 'INPUT_VALIDATION_ERROR');

  it('a missing body is 400 where one is required', async () => {
    expectError(await post('/v1/executions'), 400, 'INPUT_VALIDATION_ERROR');
  });
  it('malformed JSON is 400', invalid('{"model":'));
  it('an array is 400', invalid('[]'));
  it('a number is 400', invalid('7'));
  it('null is 400', invalid('null'));
  it('a string is 400', invalid('"text"'));
  it('broken UTF-8 is 400', invalid(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])));
  it('nesting above the limit is 400', invalid(deep(70)));
  it('nesting of 200,000 levels is 400', invalid(deep(200_000)));
  it('a number that overflows is 400', invalid('{"model":"writer","input":{"prompt":1e999}}'));
  it('a lone surrogate is 400', invalid('{"model":"writer","input":{"prompt":"\\ud800"}}'));
  it(
    'an own __proto__ is an unknown field like any other',
    invalid('{"model":"writer","input":{"prompt":"a","__proto__":{}}}'),
  );
  it(
    'an inherited name is not a field',
    invalid('{"model":"writer","input":{"prompt":"a"},"__proto__":{"x":1},"constructor":1}'),
  );

  it.each([
    ['{"model":"writer","input":{"prompt":"a\\u0000b"}}', 'input.prompt'],
    ['{"model":"writer","input":{"prompt":"a"},"metadata":{"list":[{"x":"\\u0000"}]}}', 'metadata.list.0.x'],
    ['{"model":"writer","input":{"prompt":"a"},"metadata":{"k\\u0000":1}}', 'metadata.k\uFFFD'],
  ])('a NUL character in %s is 400 with its field', async (body, field) => {
    const response = await send(body);
    expectError(response, 400, 'INPUT_VALIDATION_ERROR');
    expect(response.body.error.details).toMatchObject([{ field, code: 'INVALID_FORMAT' }]);
  });

  it('a body of 1 MiB is read, one byte more is 413', async () => {
    const body = (bytes: number) => {
      const frame = '{"model":"writer","input":{"prompt":""}}';
      return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`);
    };
    expect((await send(body(1_048_576))).status).toBe(202);
    expectError(await send(body(1_048_577)), 413, 'PAYLOAD_TOO_LARGE');
    expectError(await send(body(3_000_000)), 413, 'PAYLOAD_TOO_LARGE');
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=latin1',
  ])('%s is 415', async (type) => {
    expectError(await send('{"model":"writer","input":{"prompt":"a"}}', type), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it('JSON with a charset or a +json type is accepted', async () => {
    for (const type of ['application/json; charset=UTF-8', 'application/problem+json']) {
      expect((await send('{"model":"writer","input":{"prompt":"a"}}', type)).status).toBe(202);
    }
  });

  it('a body with very many errors gets a response of bounded length', async () => {
    const wrong = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`field${index}`, 1]));
    const name = 'n'.repeat(500_000);
    for (const body of [
      { model: 'writer', input: wrong },
      wrong,
      { model: 'writer', input: { [name]: 1 } },
      { [name]: 1 },
    ]) {
      const response = await send(JSON.stringify(body));
      expectError(response, 400, 'INPUT_VALIDATION_ERROR');
      expect(response.text.length).toBeLessThan(50_000);
    }
  });

  it('a compressed body is 415', async () => {
    const response = await post('/v1/executions')
      .set('Content-Encoding', 'gzip')
      .send({ model: 'writer', input: {} });
    expectError(response, 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it('a POST without a required body needs neither a body nor a Content-Type', async () => {
    expectError(await post(`/v1/executions/${newId('exec')}/cancel`), 404, 'NOT_FOUND');
    expectError(
      await post(`/v1/executions/${newId('exec')}/cancel`).send({ force: true }),
      400,
      'INPUT_VALIDATION_ERROR',
    );
  });
});

describe('query parameters', () => {
  it.each([
    '/v1/executions?cursor=&status=&model=&limit=&created_after=&created_before=',
    '/v1/events?cursor=&type=&execution_id=&endpoint_id=&undelivered=&order=',
    '/v1/balance/transactions?cursor=&kind=',
    '/v1/usage?from=&to=&group_by=',
    '/v1/webhooks/endpoints?cursor=&limit=',
  ])('count as absent without a value: %s', async (path) => {
    await get(path).expect(200);
  });

  it.each([
    ['/v1/executions?order=asc', 'order'],
    ['/v1/executions?limit=1&constructor=', 'constructor'],
    ['/v1/events?types=execution.failed', 'types'],
    ['/v1/usage?group=model', 'group'],
  ])('are refused where the endpoint does not know them: %s', async (path, field) => {
    const response = await get(path);
    expectError(response, 400, 'INPUT_VALIDATION_ERROR');
    expect(response.body.error.details).toMatchObject([{ field, code: 'UNKNOWN_FIELD' }]);
  });

  it('are refused in a change without any, and ignored by a read without any', async () => {
    const response = await post('/v1/executions?wait=30').send({ model: 'writer', input: { prompt: 'a' } });
    expect(response.body.error.details).toMatchObject([{ field: 'wait', code: 'UNKNOWN_FIELD' }]);
    await get('/v1/balance?_=1').expect(200);
  });

  it('are refused in a change without a body', async () => {
    const { body: created } = await post('/v1/api-keys').send({ name: 'leaked' }).expect(201);
    const response = await post(`/v1/api-keys/${created.id}/rotate?expire_previous=now`);
    expectError(response, 400, 'INPUT_VALIDATION_ERROR');
    expect(response.body.error.details).toMatchObject([{ field: 'expire_previous', code: 'UNKNOWN_FIELD' }]);
  });

  it('without a value count as missing where they are required', async () => {
    const response = await get('/v1/webhooks/deliveries?execution_id=');
    expectError(response, 400, 'INPUT_VALIDATION_ERROR');
    expect(response.body.error.details).toMatchObject([{ field: 'execution_id', code: 'REQUIRED' }]);
  });
});

describe('garbage of every kind is never a 500', () => {
  const values = [
    null,
    true,
    -1,
    1.5,
    '',
    'x'.repeat(5000),
    [],
    [[]],
    {},
    { a: { b: [] } },
    '\u202e',
    'file_',
    'NaN',
  ];
  const paths = [
    '/v1/executions',
    '/v1/files/upload',
    '/v1/files/confirm',
    '/v1/webhooks/endpoints',
    '/v1/api-keys',
  ];
  const fields = [
    'model',
    'input',
    'metadata',
    'webhook_url',
    'timeout_seconds',
    'url',
    'events',
    'headers',
    'name',
    'permissions',
    'filename',
    'content_type',
    'size_bytes',
    'ttl_days',
    'file_id',
    'toString',
    '__proto__',
  ];

  it.each(paths)('POST %s', async (path) => {
    const statuses = new Set<number>();
    for (const field of fields) {
      for (const value of values) {
        const { status } = await post(path).send(
          JSON.parse(`{${JSON.stringify(field)}:${JSON.stringify(value)}}`),
        );
        statuses.add(status);
      }
    }
    expect([...statuses].filter((status) => status >= 500)).toEqual([]);
    expect(statuses).toContain(400);
  });

  it('queries', async () => {
    for (const query of [
      'limit=%00',
      'status=%00',
      'cursor=%FF',
      '=',
      '&&',
      'limit[]=1',
      '__proto__=1',
      'created_after=%ED%A0%80',
    ]) {
      expect((await get(`/v1/executions?${query}`)).status).toBeLessThan(500);
    }
  });
});
