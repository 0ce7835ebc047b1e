import { once } from 'node:events';
import {
  Agent,
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type Server,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { faceGateway, type TestOutput } from '../testing/faceGateway.ts';

const schemaOf = (properties: object, required: string[] = []) => ({
  type: 'object' as const,
  additionalProperties: false,
  properties,
  required,
});
const file = { type: 'string', format: 'file' };
const integer = { type: 'integer' };
const images = { kind: 'images' } as const;

const { post, run, count, gateway, key, organizationId } = await faceGateway('openai', [
  {
    slug: 'painter',
    input_schema: schemaOf(
      { prompt: { type: 'string' }, width: integer, height: integer, count: integer, seed: integer },
      ['prompt'],
    ),
    output: images,
  },
  {
    slug: 'sized',
    input_schema: schemaOf({
      prompt: { type: 'string' },
      size: { enum: ['1024x1024', '1536x1024'] },
      quality: { enum: ['low', 'medium', 'high'] },
      aspect_ratio: { enum: ['1:1', '3:2'] },
      format: { type: 'string' },
    }),
    output: images,
  },
  {
    slug: 'editor',
    input_schema: schemaOf(
      { source_image: file, prompt: { type: 'string' }, width: integer, gray: { type: 'boolean' } },
      ['source_image'],
    ),
    output: images,
  },
  {
    slug: 'composer',
    input_schema: schemaOf({ mask_image: file, pictures: { type: 'array', items: file } }),
    output: images,
  },
  {
    slug: 'sharpener',
    input_schema: schemaOf({ prompt: { type: 'string' }, partial_images: integer }),
    output: images,
    stream: 'image',
    on_cancel: 'charge',
  },
  { slug: 'writer', input_schema: schemaOf({ prompt: { type: 'string' } }), output: { kind: 'text' } },
]);
const { db, store, bodies } = gateway.context;

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const dataUri = `data:image/png;base64,${png.toString('base64')}`;
/** More than one piece of base64, of a length that three does not divide. */
const drawn = Buffer.alloc(200_000, 'drawn');

const paint: TestOutput = async (store) => ({
  images: [
    { file_id: await store('1.png', drawn, 'image/png'), format: 'png' },
    { file_id: await store('2.png', png, 'image/png'), format: 'png' },
  ],
});
const both = [drawn, png].map((bytes) => bytes.toString('base64'));

let seed = 0;
/** Equal requests of other tests do not join. */
const generate = (body: object) =>
  post('/images/generations').send({ model: 'painter', prompt: `picture ${seed++}`, ...body });

const uploads = () =>
  db.prisma.file.count({
    where: { organizationId, origin: 'upload', NOT: { expiresAt: { lte: new Date() } } },
  });

describe('images', () => {
  it('are base64 in JSON', async () => {
    const { response, execution } = await run(generate({}), paint, { outputTokens: 5 });
    expect(response.body).toEqual({
      created: Math.floor((execution.completedAt?.getTime() ?? 0) / 1000),
      usage: { input_tokens: 0, output_tokens: 5, total_tokens: 5 },
      data: both.map((b64_json) => ({ b64_json })),
    });
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'holdfast-execution': execution.id,
      'holdfast-cost': '0.01',
    });
  });

  it('are URLs that need no key, when asked for', async () => {
    const { response } = await run(generate({ response_format: 'url' }), paint);
    const [{ url }] = response.body.data;
    const downloaded = await gateway.client('').get(url.replace('http://gateway.test', '')).buffer();
    expect([downloaded.status, downloaded.body.equals(drawn)]).toEqual([200, true]);
  });

  it('come as events, when asked for', async () => {
    const { response } = await run(generate({ stream: true, partial_images: 2 }), paint);
    const events = response.text.split('\n\n').filter((one) => one.startsWith('event: '));
    expect(events.map((one) => one.split('\n')[0])).toEqual([
      'event: image_generation.completed',
      'event: image_generation.completed',
    ]);
    expect(events.map((one) => JSON.parse(one.split('\ndata: ')[1] ?? '').b64_json)).toEqual(both);
  });

  it('come after as many partial images as were asked for, of a model that shows them', async () => {
    const wanted = { model: 'sharpener', stream: true, partial_images: 2, quality: 'low', size: '1024x1024' };
    const { response, execution } = await run(generate(wanted), async (keep) => {
      const { id } = await db.prisma.execution.findFirstOrThrow({ orderBy: { id: 'desc' } });
      const kept = async (name: string) => ({ image: await keep(name, png, 'image/png') });
      const partials = [await kept('a.png'), await kept('b.png'), await kept('c.png')];
      await db.pool.query(
        `WITH shown AS (UPDATE streams SET kind = 'image', events = 3 WHERE execution_id = $1)
         INSERT INTO stream_events (execution_id, number, type, data)
         SELECT $1, n, 'output', data FROM unnest($2::text[]) WITH ORDINALITY AS t (data, n)`,
        [id, partials.map((one) => JSON.stringify(one))],
      );
      return { images: [{ file_id: await keep('d.png', drawn, 'image/png') }] };
    });
    expect([execution.input, execution.onCancel]).toMatchObject([{ partial_images: 2 }, 'charge']);
    const events = response.text.split('\n\n').filter((one) => one.startsWith('event: '));
    const partial = { type: 'image_generation.partial_image', b64_json: png.toString('base64') };
    const look = { quality: 'low', size: '1024x1024', background: 'auto', output_format: 'png' };
    expect(events.map((one) => JSON.parse(one.split('\ndata: ')[1] ?? ''))).toMatchObject([
      { ...partial, ...look, partial_image_index: 0 },
      { ...partial, ...look, partial_image_index: 1 },
      { type: 'image_generation.completed', ...look, b64_json: both[0], usage: { total_tokens: 0 } },
    ]);
  });

  it.each([
    [
      'painter',
      { size: '640x480', n: 2, quality: 'auto', seed: 3 },
      { width: 640, height: 480, count: 2, seed: 3 },
    ],
    ['painter', { size: 'auto', n: 1, user: 'u', style: 'vivid' }, {}],
    [
      'sized',
      { size: '1024x1024', quality: 'hd' },
      { size: '1024x1024', quality: 'high', aspect_ratio: '1:1' },
    ],
    ['sized', { size: 'auto', quality: 'auto', output_format: 'webp' }, { format: 'webp' }],
  ])('of the model %s for %j are drawn with %j', async (model, asked, expected) => {
    const { response, execution } = await run(generate({ model, ...asked }), paint);
    const { prompt: _prompt, ...input } = execution.input as Record<string, unknown>;
    expect([response.status, input]).toEqual([200, expected]);
  });

  it('fail without another try when the model made none', async () => {
    const { response } = await run(generate({}), async () => ({ images: [] }));
    expect([response.body.error.code, response.headers['x-should-retry']]).toEqual([
      'model_not_supported',
      'false',
    ]);
  });

  it('that were deleted are not there', async () => {
    const { response } = await run(generate({}), async (keep) => {
      const id = await keep('1.png', png, 'image/png');
      await store.remove(id);
      return { images: [{ file_id: id }] };
    });
    expect([response.status, response.body.error.code]).toEqual([404, 'not_found']);
  });

  it.each([
    ['several of a model that makes one', { model: 'sized', n: 2 }, 'unsupported_parameter', 'n'],
    ['a model that writes text', { model: 'writer' }, 'model_not_supported', 'model'],
    ['more partial images than there are', { partial_images: 4 }, 'out_of_range', 'partial_images'],
    ['another form', { response_format: 'gif' }, 'invalid_value', 'response_format'],
    ['no prompt', { prompt: null }, 'required', 'prompt'],
    ['a model that needs a file', { model: 'editor' }, 'required', 'source_image'],
  ])('are refused: %s', async (_what, body, code, param) => {
    const before = await count();
    const response = await generate(body);
    expect([response.status, response.body.error]).toMatchObject([400, { code, param }]);
    expect(await count()).toBe(before);
  });
});

const edit = (model = 'editor') =>
  post('/images/edits').field('model', model).field('prompt', `edit ${seed}`);

describe('edits of images', () => {
  it('take a form, whose file becomes an upload of the organization', async () => {
    const sent = edit()
      .field({ n: '1', size: '32x32', gray: 'true', unknown: 'x' })
      .attach('image', png, { filename: 'a photo', contentType: 'application/octet-stream' });
    const { response, execution } = await run(sent, paint);
    expect([response.status, response.body.data.length]).toEqual([200, 2]);
    const { source_image: id, ...input } = execution.input as Record<string, unknown>;
    expect(input).toEqual({ prompt: `edit ${seed}`, width: 32, gray: true });
    const stored = await db.prisma.file.findUniqueOrThrow({ where: { id: String(id) } });
    expect(stored).toMatchObject({
      organizationId,
      state: 'ready',
      contentType: 'image/png',
      filename: 'a photo.png',
    });
    expect(await buffer(await store.read(stored.objectKey ?? ''))).toEqual(png);
    expect(bodies.heldBytes()).toBe(0);
  });

  it('take several images and a mask, where the model does', async () => {
    const sent = post('/images/edits')
      .field('model', 'composer')
      .attach('image[]', png, 'a.png')
      .attach('mask', png, 'b.png')
      .attach('image[]', png, 'c.png');
    const { execution } = await run(sent, paint);
    const { pictures, mask_image: mask } = execution.input as { pictures: string[]; mask_image: string };
    expect([pictures.length, new Set([...pictures, mask]).size]).toEqual([2, 3]);
  });

  it('take JSON with data URIs', async () => {
    seed += 1;
    const body = { model: 'editor', prompt: `edit ${seed}`, images: [{ image_url: dataUri }] };
    const { response, execution } = await run(post('/images/edits').send(body), paint);
    const { source_image: id } = execution.input as Record<string, unknown>;
    expect(response.status).toBe(200);
    expect(await db.prisma.file.findUniqueOrThrow({ where: { id: String(id) } })).toMatchObject({
      sizeBytes: png.length,
    });
  });

  it.each([
    ['a form', () => edit().attach('image', png, 'a.png')],
    ['JSON', () => post('/images/edits').send({ model: 'editor', prompt: `edit ${seed}`, image: dataUri })],
  ])('in %s, repeated at the same time, are one execution with one file', async (_form, send) => {
    seed += 1;
    const before = [await count(), await uploads()];
    const [first, second] = [send().then((one) => one), send().then((one) => one)];
    const { execution } = await run(Promise.resolve(null), paint);
    for (const { status, headers } of [await first, await second])
      expect([status, headers['holdfast-execution']]).toEqual([200, execution.id]);
    expect([await count(), await uploads()]).toEqual(before.map((one) => one + 1));
    const retried = await send().set('x-stainless-retry-count', '1');
    expect([retried.headers['holdfast-joined'], await uploads()]).toEqual(['true', (before[1] ?? 0) + 1]);
  });

  it.each([
    ['no file', () => edit(), 'required', 'source_image'],
    [
      'two files of a model that takes one',
      () => edit().attach('image', png, 'a').attach('image', png, 'b'),
      'unsupported_parameter',
      'image',
    ],
    [
      'a mask',
      () => edit().attach('image', png, 'a').attach('mask', png, 'b'),
      'unsupported_parameter',
      'mask',
    ],
    [
      'a file that is none',
      () => edit().attach('image', Buffer.from([0, 1, 2, 3]), 'a.png'),
      'unsupported_format',
      'source_image',
    ],
    ['a file elsewhere', () => edit().attach('prompt', png, 'a'), 'unknown_field', 'prompt'],
    [
      'a model without files',
      () => edit('painter').attach('image', png, 'a'),
      'unsupported_parameter',
      'image',
    ],
    ['an unknown model', () => edit('none').attach('image', png, 'a'), 'model_not_found', 'model'],
    [
      'a private URL',
      () => post('/images/edits').send({ model: 'editor', image: 'http://127.0.0.1/a.png' }),
      'invalid_url',
      'image',
    ],
    [
      'a word',
      () => post('/images/edits').send({ model: 'editor', image: 'sunset' }),
      'invalid_format',
      'image',
    ],
    ['a number', () => post('/images/edits').send({ model: 'editor', image: 3 }), 'invalid_type', 'image'],
    [
      'a foreign file',
      () => post('/images/edits').send({ model: 'editor', image: 'file_1' }),
      'not_found',
      'source_image',
    ],
  ])('are refused, and leave no file: %s', async (_what, send, code, param) => {
    const before = [await count(), await uploads()];
    const { status, body } = await send();
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(body.error).toMatchObject({ code, param });
    expect([await count(), await uploads()]).toEqual(before);
  });

  it('of a key without the scope for files are refused', async () => {
    const { client } = gateway;
    const created = await client(await gateway.newKey(organizationId))
      .post('/v1/api-keys')
      .send({ name: 'x', scopes: ['executions:write'] });
    const sent = client(created.body.api_key ?? created.body.key)
      .post('/v1/openai/images/edits')
      .field('model', 'editor')
      .attach('image', png, 'a');
    expect((await sent).body.error.code).toBe('permission_denied');
  });

  it('of up to 50 MB are not held in memory', async () => {
    const large = Buffer.concat([png, Buffer.alloc(20_000_000)]);
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, bodies.heldBytes());
    }, 1);
    const { response } = await run(edit().attach('image', large, 'a.png'), paint);
    clearInterval(watch);
    expect([response.status, most]).toEqual([200, 1_048_576]);
    const { status } = await edit().attach('image', Buffer.alloc(60_000_000), 'a.png');
    expect(status).toBe(413);
  });
});

describe('a form that is refused early', () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let server: Server;
  beforeAll(async () => {
    server = createServer(gateway.app).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    agent.destroy();
    server.close();
  });

  function begin(method: string, path: string, headers: Record<string, string>) {
    const { port } = server.address() as AddressInfo;
    const authorization = `Bearer ${key}`;
    return request({ agent, port, method, path, headers: { authorization, ...headers } });
  }

  async function responseTo(sent: ClientRequest): Promise<number | undefined> {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    await buffer(response);
    return response.statusCode;
  }

  it('leaves its connection to the next request, once the rest of it is there', async () => {
    const part = '--x\r\nContent-Disposition: form-data; name="prompt"; filename="a"\r\n\r\nb\r\n';
    const sent = begin('POST', '/v1/openai/images/edits', {
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': String(part.length + 6),
    });
    sent.write(part);
    const refused = await responseTo(sent);
    sent.end('--x--\n');
    const startedMs = performance.now();
    const next = await responseTo(begin('GET', '/v1/openai/models', {}).end());
    expect([refused, next, performance.now() - startedMs < 5000]).toEqual([400, 200, true]);
  });
});

describe('variations of an image', () => {
  it('need no prompt', async () => {
    const sent = post('/images/variations').field('model', 'editor').attach('image', png, 'a.png');
    const { execution } = await run(sent, paint);
    expect(Object.keys(execution.input as object)).toEqual(['source_image']);
  });
});
