import { until } from '@holdfast/testkit/until';
import { describe, expect, it } from '@jest/globals';
import { openTestGateway } from '../../testing/testGateway.ts';
import { faceGateway, type TestOutput } from '../testing/faceGateway.ts';

const file = { type: 'string', format: 'file' } as const;
const schemaOf = (properties: object) =>
  ({ type: 'object', additionalProperties: false, properties, required: ['prompt'] }) as const;
const { post, run, count, gateway, key, organizationId } = await faceGateway('replicate', [
  {
    slug: 'painter',
    aliases: ['acme/painter:v1', 'painter-of-acme'],
    input_schema: schemaOf({ prompt: { type: 'string' }, image: file }),
    output: { kind: 'images' },
  },
  {
    slug: 'writer',
    aliases: ['acme/writer'],
    input_schema: schemaOf({ prompt: { type: 'string' } }),
    output: { kind: 'text' },
  },
]);
const { db } = gateway.context;
const client = gateway.client(key);
const route = '/v1/replicate/predictions';
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const paint: TestOutput = async (store) => ({
  images: [{ file_id: await store('1.png', png, 'image/png'), format: 'png' }],
});
const dataUri = `data:image/png;base64,${png.toString('base64')}`;

let said = 0;
/** Equal requests of other tests do not join. */
const input = (more: object = {}) => ({ prompt: `picture ${said++}`, ...more });
const byModel = (body: object = { input: input() }) => post('/models/acme/painter/predictions').send(body);
const read = async (id: string) => (await client.get(`${route}/${id}`).expect(200)).body;
const update = (id: string, data: object) => db.prisma.execution.update({ where: { id }, data });
const uploads = () =>
  db.prisma.file.count({
    where: { organizationId, origin: 'upload', NOT: { expiresAt: { lte: new Date() } } },
  });

describe('a prediction', () => {
  it.each([
    ['a model', '/models/acme/painter/predictions', {}],
    ['a model, below /v1', '/v1/models/acme/painter/predictions', {}],
    ['a deployment', '/deployments/acme/painter/predictions', {}],
    ['a version', '/predictions', { version: 'v1' }],
    ['a version with its model', '/predictions', { version: 'acme/painter:v1' }],
    ['the name of a model', '/v1/predictions', { version: 'acme/painter' }],
    ['a slug', '/predictions', { version: 'painter' }],
  ])('is an execution of %s', async (_name, path, more) => {
    const asked = input({ guidance: 3 });
    const { status, body } = await post(path).send({ ...more, input: asked });
    expect([status, body]).toMatchObject([
      201,
      {
        model: 'acme/painter',
        version: 'v1',
        status: 'starting',
        input: { prompt: asked.prompt },
        output: null,
        error: null,
        logs: '',
        completed_at: null,
        urls: {
          get: `http://gateway.test${route}/${body.id}`,
          cancel: `http://gateway.test${route}/${body.id}/cancel`,
        },
      },
    ]);
    expect(await read(body.id)).toEqual({ ...body, status: 'starting' });
  });

  it('that waits has its output, on a server for development as data URIs', async () => {
    const { response, execution } = await run(byModel().set('Prefer', 'wait'), paint);
    expect([response.status, response.body]).toMatchObject([
      201,
      {
        id: execution.id,
        status: 'succeeded',
        output: [dataUri],
        metrics: { total_time: expect.anything() },
      },
    ]);
    expect(response.headers['holdfast-cost']).toBe('0.01');
  });

  it('has an output of URLs that need no key, and that only this gateway makes', async () => {
    const https = await openTestGateway(gateway.servers, {
      COMPATIBLE_APIS: 'replicate',
      PUBLIC_URL: 'https://gateway.test',
      ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
    });
    try {
      const { execution } = await run(byModel(), paint);
      const { body } = await https.client(key).get(`${route}/${execution.id}`).expect(200);
      const [url] = body.output;
      expect(url).toMatch(/^https:\/\/gateway\.test\/v1\/replicate\/output\/.+\/output\.png$/);
      const path = new URL(url).pathname;
      const got = await https.client('').get(path).responseType('blob').expect(200);
      expect([got.headers['content-type'], got.body]).toEqual(['image/png', png]);
      await client.get(path).expect(404);
      // It may stand in the input of another.
      const again = await https
        .client(key)
        .post(route)
        .send({ version: 'v1', input: input({ image: url }) });
      const { file_id: id } = (execution.output as { images: { file_id: string }[] }).images[0] ?? {};
      const made = await db.prisma.execution.findUniqueOrThrow({ where: { id: again.body.id } });
      expect(made.input).toMatchObject({ image: id });
    } finally {
      await https.close();
    }
  });

  it('that has not ended is `starting` to a client that waits, and `processing` to one that polls', async () => {
    const sent = byModel().set('Prefer', 'wait=1');
    const { response, execution } = await run(sent, async () => ({}), {
      status: 'PROCESSING',
      completedAt: null,
      cost: null,
      output: undefined,
    });
    expect([response.status, response.body.status]).toEqual([201, 'starting']);
    expect((await read(execution.id)).status).toBe('processing');
  });

  it.each([
    ['AWAITING_WEBHOOK', { completedAt: null }, { status: 'processing', error: null }],
    [
      'FAILED',
      { errorCode: 'GENERATION_FAILED', errorMessage: 'Too dark.' },
      { status: 'failed', error: 'Too dark.' },
    ],
    [
      'EXPIRED',
      { errorCode: 'GENERATION_TIMEOUT', errorMessage: 'late' },
      { status: 'failed', error: 'Deadline exceeded' },
    ],
    ['CANCELLED', {}, { status: 'canceled', error: null }],
  ])('whose execution is %s has a status that clients know', async (status, data, shown) => {
    const { id } = (await byModel()).body;
    await update(id, { status, completedAt: new Date(), ...data });
    expect(await read(id)).toMatchObject(shown);
  });

  it('is cancelled, and stays as it is once it has ended', async () => {
    const { id } = (await byModel()).body;
    for (const path of [`/predictions/${id}/cancel`, `/v1/predictions/${id}/cancel`])
      expect((await post(path).expect(200)).body).toMatchObject({ id, status: 'canceled' });
  });

  it('is given up after the time that its client sets', async () => {
    const { id } = (await byModel().set('Cancel-After', '1m30s')).body;
    const { createdAt, expiresAt } = await db.prisma.execution.findUniqueOrThrow({ where: { id } });
    expect(expiresAt.getTime() - createdAt.getTime()).toBe(90_000);
    const { status, body } = await byModel().set('Cancel-After', 'soon');
    expect([status, body.title]).toEqual([422, 'Unprocessable Entity']);
  });

  it.each([
    [undefined, ['start', 'output', 'completed']],
    [['logs', 'completed'], ['completed']],
  ])('has a webhook for the events %j', async (filter, events) => {
    const asked = { webhook: 'https://example.com/hook', webhook_events_filter: filter, input: input() };
    const { id } = (await byModel(asked).expect(201)).body;
    expect(await db.prisma.execution.findUniqueOrThrow({ where: { id } })).toMatchObject({
      webhookUrl: 'https://example.com/hook',
      webhookDialect: { name: 'replicate', events, model: 'acme/painter', version: 'v1' },
    });
    const refused = await byModel({ ...asked, webhook: 'https://10.0.0.1/hook', input: input() });
    expect(refused.status).toBe(422);
  });

  it('that six equal requests at the same time ask for is one execution with one file', async () => {
    const before = [await count(), await uploads()];
    const body = { input: input({ image: dataUri }) };
    const sending = Promise.all(Array.from({ length: 6 }, () => byModel(body).set('Prefer', 'wait')));
    // None of them has a response before all are here.
    await until('all wait', () => gateway.context.watcher.size() === 6);
    const { id } = await db.prisma.execution.findFirstOrThrow({ orderBy: { id: 'desc' } });
    await update(id, { status: 'CANCELLED', completedAt: new Date() });
    const sent = await sending;
    expect(sent.map(({ status, body: { id } }) => [status, id])).toEqual(
      sent.map(() => [201, sent[0]?.body.id]),
    );
    expect([await count(), await uploads()]).toEqual(before.map((one) => one + 1));
    const [url] = Object.values(sent[0]?.body.input ?? {}).slice(-1);
    expect(url).toContain('http://gateway.test/v1/replicate/output/');
  });

  it.each([
    ['the key of the client', { image: { client: { auth: key } } }, /contains your API key/],
    ['a URL of a private address', { image: 'http://10.0.0.1/a.png' }, /cannot be downloaded/],
    ['a number as its prompt', { prompt: 3 }, /prompt/],
  ])('with %s is refused and not stored', async (_name, more, message) => {
    const before = [await count(), await uploads()];
    const { status, body } = await byModel({ input: input(more) });
    expect([status, body]).toMatchObject([422, { status: 422, title: 'Input validation failed' }]);
    expect(body.detail).toMatch(message);
    expect([await count(), await uploads()]).toEqual(before);
  });

  it('of an unknown model is not found', async () => {
    for (const [path, body] of [
      ['/models/acme/nothing/predictions', {}],
      ['/predictions', { version: 'v9' }],
    ] as const) {
      const sent = await post(path).send({ ...body, input: input() });
      expect([sent.status, sent.body]).toMatchObject([404, { status: 404, title: 'Not Found' }]);
    }
  });
});

describe('a request for which there is no room', () => {
  it('waits beside others above the limit of their key, and is refused where the client would wait itself', async () => {
    const limited = await openTestGateway(gateway.servers, {
      COMPATIBLE_APIS: 'openai,replicate',
      RATE_LIMIT_CREATE_PER_MINUTE: '1',
      EVENT_STREAMS_PER_KEY: '1',
    });
    try {
      const as = limited.client(await limited.newKey(organizationId));
      const create = () => as.post(route).send({ version: 'v1', input: input() });
      await create().expect(201);
      const waiting = Promise.all([create(), create()]);
      const { redis, waitingRoom } = limited.context;
      await until('they wait', () => waitingRoom.size() === 2);
      await as.post('/v1/executions').send({ model: 'writer', input: input() }).expect(429);
      for (const left of [1, 0]) {
        for (const one of await redis.keys('*limit:create:*')) await redis.del(one);
        await until('one more has passed', () => waitingRoom.size() === left);
      }
      for (const { status, body, headers } of await waiting)
        expect([status, body.status, headers['retry-after']]).toEqual([201, 'starting', undefined]);
    } finally {
      await limited.close();
    }
  });

  it('waits for the memory of its body, or until the gateway stops', async () => {
    const { bodies, waitingRoom } = gateway.context;
    const full = bodies.open(organizationId);
    full.take(32 * 1024 * 1024);
    const waiting = byModel().then((response) => response);
    await until('it waits', () => waitingRoom.size() === 1);
    full.release();
    expect((await waiting).status).toBe(201);
    full.take(32 * 1024 * 1024);
    const refused = byModel().then((response) => response);
    await until('it waits', () => waitingRoom.size() === 1);
    waitingRoom.close();
    expect((await refused).status).toBe(429);
    full.release();
  });
});

it('predictions are listed from the newest on', async () => {
  const { id } = (await byModel()).body;
  const { body } = await client.get(`${route}?created_before=2030-01-01T00:00:00Z`).expect(200);
  expect(body).toMatchObject({ previous: null, next: null });
  expect(body.results[0]).toMatchObject({ id, model: 'acme/painter', status: 'starting' });
  const older = await client.get(`${route}?created_before=2020-01-01T00:00:00Z`).expect(200);
  expect(older.body.results).toEqual([]);
});
