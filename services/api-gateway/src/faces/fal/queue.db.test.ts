import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { organizationWithKey } from '../../testing/testGateway.ts';
import { faceGateway, type TestOutput } from '../testing/faceGateway.ts';

const schema = (properties: object, more: object = {}) => ({
  type: 'object' as const,
  additionalProperties: false,
  properties: { prompt: { type: 'string' }, ...properties },
  ...more,
});
const { gateway, key, run, count } = await faceGateway(
  'fal',
  [
    {
      slug: 'painter',
      aliases: ['acme/painter/fast'],
      input_schema: schema({ image: { type: 'string', format: 'file' } }, { required: ['prompt'] }),
      output: { kind: 'images' },
    },
    { slug: 'writer', input_schema: schema({}), output: { kind: 'text' } },
  ],
  { FAL_HOSTS: 'fal.test' },
);
const { db } = gateway.context;
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const dataUri = `data:image/png;base64,${png.toString('base64')}`;

type Method = 'get' | 'post' | 'put';
/** A request to a host name of the face. */
const call = (method: Method, host: string, path: string, by = key) =>
  request(gateway.app)[method](path).set('Host', host).set('Authorization', `Key ${by}`);

let said = 0;
/** Equal requests of other tests do not join. */
const input = (more: object = {}) => ({ prompt: `picture ${said++}`, ...more });
const submit = (body: object = input(), query = '') =>
  call('post', 'queue.fal.test', `/acme/painter/fast${query}`).send(body);
const read = (id: string, more = '', by = key) =>
  call('get', 'queue.fal.test', `/acme/painter/requests/${id}${more}`, by);
const end = (id: string, data: object) =>
  db.prisma.execution.update({ where: { id }, data: { completedAt: new Date(), ...data } });
const paint: TestOutput = async (store) => ({
  images: [{ file_id: await store('1.png', png, 'image/png'), format: 'png', width: 1, height: 1 }],
});

describe('a request in the queue', () => {
  it('is an execution, with URLs for its first two words', async () => {
    const { status, headers, body } = await submit(input({ seed: 3 })).set('x-fal-queue-priority', 'low');
    const url = `http://gateway.test/v1/fal/queue/acme/painter/requests/${body.request_id}`;
    const urls = { response_url: url, status_url: `${url}/status`, cancel_url: `${url}/cancel` };
    expect([status, body]).toMatchObject([200, { status: 'IN_QUEUE', queue_position: 0, logs: [], ...urls }]);
    expect(headers['x-fal-request-id']).toBe(body.request_id);
    const shown = await gateway.client(key).get(`/v1/executions/${body.request_id}`);
    expect(shown.body).toMatchObject({ model: 'painter', priority: 'low' });
    expect((await read(body.request_id, '/status?logs=true')).body).toMatchObject({
      ...body,
      queue_position: 0,
    });
  });

  it.each([
    ['IN_QUEUE', { status: 'PENDING' }, { queue_position: 0 }],
    ['IN_PROGRESS', { status: 'PROCESSING', startedAt: new Date() }, { queue_position: null }],
  ])('that is %s has no result yet', async (status, data, more) => {
    const { request_id: id } = (await submit()).body;
    await db.prisma.execution.update({ where: { id }, data: { logs: 'one\ntwo\n', ...(data as object) } });
    const shown = (await read(id, '/status?logs=1')).body;
    expect(shown).toMatchObject({ status, ...more });
    expect(shown.logs.map(({ message }: { message: string }) => message)).toEqual(['one', 'two']);
    expect((await read(id, '/status?logs=0')).body.logs).toEqual([]);
    const early = await read(id);
    expect([early.status, early.body.detail]).toEqual([400, 'Request is still in progress']);
  });

  it('has files as URLs that anyone may read', async () => {
    const { response, execution } = await run(submit(), paint);
    const { body, headers } = await read(response.body.request_id, '/response');
    const [image] = body.images;
    expect(image).toMatchObject({ content_type: 'image/png', file_name: '1.png', width: 1 });
    expect([body.image, headers['holdfast-cost']]).toEqual([image, '0.01']);
    const file = await request(gateway.app).get(new URL(image.url).pathname);
    expect(file.body).toEqual(png);
    const again = await submit(input({ image: image.url }));
    const { input: stored } = await db.prisma.execution.findUniqueOrThrow({
      where: { id: again.body.request_id },
    });
    const { images } = execution.output as { images: { file_id: string }[] };
    expect(stored).toMatchObject({ image: images[0]?.file_id });
  });

  it.each([
    ['GENERATION_FAILED', 500, 'internal_server_error', 'It broke.'],
    ['MODEL_OVERLOADED', 500, 'downstream_service_unavailable', 'It broke.'],
    ['CONTENT_MODERATION_REJECTED', 422, 'content_policy_violation', undefined],
  ])(
    'that failed with %s is COMPLETED, and its result the error',
    async (errorCode, status, type, detail) => {
      const { request_id: id } = (await submit()).body;
      await end(id, { status: 'FAILED', errorCode, errorMessage: 'It broke.' });
      const shown = (await read(id, '/status')).body;
      expect(shown).toMatchObject({ status: 'COMPLETED', error: 'It broke.', error_type: type });
      const result = await read(id);
      const body = detail ?? [{ loc: ['body'], msg: 'It broke.', type }];
      expect([result.status, result.body.detail, result.headers['x-fal-request-id']]).toEqual([
        status,
        body,
        id,
      ]);
    },
  );

  it('has a time limit for its start, and keeps its files, as its headers say', async () => {
    const lifecycle = JSON.stringify({ expiration_duration_seconds: 3600.5 });
    const { request_id: id } = (
      await submit().set('x-fal-request-timeout', '1.5').set('x-fal-object-lifecycle-preference', lifecycle)
    ).body;
    const stored = await db.prisma.execution.findUniqueOrThrow({ where: { id } });
    expect(stored).toMatchObject({ runTimeoutS: 600, filesForS: 3601 });
    expect(stored.expiresAt.getTime() - stored.createdAt.getTime()).toBe(2000);
    expect((await submit().set('x-fal-request-timeout', 'soon')).status).toBe(422);
    await end(id, { status: 'EXPIRED', errorCode: 'GENERATION_TIMEOUT' });
    const { status, headers, body } = await read(id);
    expect([status, body.error_type]).toEqual([504, 'startup_timeout']);
    expect(headers).toMatchObject({
      'x-fal-error-type': 'startup_timeout',
      'x-fal-request-timeout-type': 'user',
    });
    await db.prisma.execution.update({ where: { id }, data: { startedAt: new Date() } });
    expect([(await read(id)).status, (await read(id, '/status')).body.error_type]).toEqual([
      500,
      'generation_timeout',
    ]);
  });

  it('is cancelled once', async () => {
    const { request_id: id } = (await submit()).body;
    const cancel = () => call('put', 'queue.fal.test', `/acme/painter/requests/${id}/cancel`);
    expect((await cancel()).body).toEqual({ status: 'CANCELLATION_REQUESTED' });
    const second = await cancel();
    expect([second.status, second.body.status]).toEqual([400, 'ALREADY_COMPLETED']);
    expect((await read(id, '/status')).body).toMatchObject({ error_type: 'client_cancelled' });
  });

  it('is shown to its own organization alone', async () => {
    const { request_id: id } = (await submit()).body;
    const { key: other } = await organizationWithKey(gateway);
    for (const more of ['', '/status', '/status/stream'])
      expect((await read(id, more, other)).status).toBe(404);
  });

  it('streams its status until it has ended', async () => {
    const { request_id: id } = (await submit()).body;
    const streamed = read(id, '/status/stream?logs=1').then((response) => response.text);
    await db.prisma.execution.update({ where: { id }, data: { status: 'PROCESSING', logs: 'one\n' } });
    await end(id, { status: 'CANCELLED', logs: 'one\ntwo\n' });
    const events = (await streamed).match(/(?<=data: ).*/g)?.map((one) => JSON.parse(one)) ?? [];
    expect(events.at(-1)).toMatchObject({ status: 'COMPLETED', error_type: 'client_cancelled' });
    const lines = events.flatMap(({ logs }) => logs).map(({ message }) => message);
    expect(lines).toEqual(['one', 'two']);
  });
});

it('is reported to its webhook, whose keys anyone can read', async () => {
  const url = 'https://receiver.example/hook?of=fal';
  const { body } = await submit(input(), `?fal_webhook=${encodeURIComponent(url)}`);
  expect(await db.prisma.execution.findUnique({ where: { id: body.request_id } })).toMatchObject({
    webhookUrl: url,
    webhookDialect: { name: 'fal', events: ['completed'], base: 'http://gateway.test/v1/fal' },
  });
  const sets = [
    await request(gateway.app).get('/v1/fal/.well-known/jwks.json'),
    await request(gateway.app).get('/.well-known/jwks.json').set('Host', 'rest.fal.test'),
  ];
  for (const { body: set } of sets)
    expect(set.keys).toEqual([expect.objectContaining({ kty: 'OKP', crv: 'Ed25519' })]);
});

describe('a request that is refused', () => {
  it.each([
    ['an input', () => submit({ prompt: 3 }), 422, [{ loc: ['body', 'prompt'], type: 'value_error' }]],
    ['a missing field', () => submit({}), 422, [{ loc: ['body', 'prompt'], type: 'missing' }]],
    ['an unknown app', () => call('post', 'queue.fal.test', '/acme/nothing').send({}), 404, /not found/],
    ['a wrong key', () => call('post', 'fal.test', '/acme/painter', 'sk_wrong').send({}), 401, /not valid/],
    ['another path', () => call('get', 'fal.test', '/'), 404, /nothing/],
    [
      'a webhook within the network',
      () => submit(input(), '?fal_webhook=http://10.0.0.1/'),
      422,
      [{ loc: ['query', 'fal_webhook'], type: 'value_error' }],
    ],
  ])('for %s says so in detail', async (_name, sent, status, detail) => {
    const response = await sent();
    expect(response.status).toBe(status);
    if (detail instanceof RegExp) expect(response.body.detail).toMatch(detail);
    else expect(response.body.detail).toMatchObject(detail);
    expect(response.headers['x-fal-request-id']).toBeUndefined();
  });
});

describe('a run that is waited for', () => {
  it('gives its output, with a text under both names', async () => {
    const sent = call('post', 'fal.test', '/holdfast/writer').send(input());
    const { response, execution } = await run(sent, async () => ({ text: 'Hello.' }));
    expect(response.body).toEqual({ output: 'Hello.', text: 'Hello.' });
    expect(response.headers['x-fal-request-id']).toBe(execution.id);
  });

  it('streams the error with which it ended', async () => {
    const sent = call('post', 'fal.test', '/holdfast/writer/stream').send(input());
    const failed = {
      status: 'FAILED',
      cost: null,
      errorCode: 'GENERATION_FAILED',
      errorMessage: 'It broke.',
    };
    const { response } = await run(sent, async () => ({}), failed);
    expect(response.text).toContain('"detail":"It broke.","error_type":"internal_server_error"');
  });

  it('asks for a repetition, which joins it, when it takes too long', async () => {
    const { config } = gateway.context;
    const { COMPATIBLE_WAIT_S: before } = config;
    config.COMPATIBLE_WAIT_S = 0.2;
    const body = input();
    const send = () => call('post', 'fal.test', '/holdfast/writer').send(body);
    const tries = [await send(), await send()];
    config.COMPATIBLE_WAIT_S = before;
    expect(tries.map(({ status }) => status)).toEqual([429, 429]);
    expect(new Set(tries.map(({ headers }) => headers['x-fal-request-id'])).size).toBe(1);
  });
});

describe('files', () => {
  it('in an input are stored once, and those of a refused request removed', async () => {
    const files = () => db.prisma.file.count({ where: { origin: 'upload', state: { not: 'deleted' } } });
    const before = await files();
    expect((await submit({ image: dataUri })).status).toBe(422);
    expect((await submit(input({ image: dataUri }))).status).toBe(200);
    const kept = await db.prisma.file.count({ where: { origin: 'upload', expiresAt: { gt: new Date() } } });
    expect([await files(), kept]).toEqual([before + 2, 1]);
  });

  it('are uploaded in parts, of which another organization cannot take any', async () => {
    const rest = (path: string) => call('post', 'rest.fal.test', path);
    const started = (await rest('/storage/upload/initiate-multipart').send({ file_name: 'a.png' })).body;
    const { pathname } = new URL(started.upload_url);
    const put = (part: number, bytes: Buffer) =>
      request(gateway.app)
        .put(`${pathname}/${part}`)
        .set('Content-Type', 'application/octet-stream')
        .send(bytes);
    const parts = [await put(2, png.subarray(20)), await put(1, png.subarray(0, 20))].map(({ body }) => body);
    const { key: other } = await organizationWithKey(gateway);
    const theirs = await call('post', 'rest.fal.test', '/storage/upload/initiate-multipart', other).send({});
    const complete = (path: string) => request(gateway.app).post(`${path}/complete`).send({ parts });
    expect((await complete(new URL(theirs.body.upload_url).pathname)).status).toBe(422);
    for (const _try of [1, 2]) expect((await complete(pathname)).status).toBe(200);
    const file = await request(gateway.app).get(new URL(started.file_url).pathname);
    expect(file.body).toEqual(png);
    expect((await request(gateway.app).put('/v1/fal/uploads/forged.x/1').send('x')).status).toBe(404);
  });

  it('are uploaded with a token that can do nothing else', async () => {
    const { body: granted } = await call('post', 'rest.fal.test', '/storage/auth/token').send({});
    const send = (path: string) =>
      request(gateway.app).post(path).auth(granted.token, { type: 'bearer' }).set('x-fal-file-name', 'a.png');
    const upload = new URL(`${granted.base_url}/files/upload`).pathname;
    const { body } = await send(upload).set('Content-Type', 'image/png').send(png);
    expect((await request(gateway.app).get(new URL(body.access_url).pathname)).body).toEqual(png);
    const before = await count();
    expect((await send('/v1/executions').send({ model: 'writer', input: {} })).status).toBe(403);
    expect((await send('/v1/fal/run/holdfast/writer').send({})).status).toBe(403);
    expect(await count()).toBe(before);
  });
});
