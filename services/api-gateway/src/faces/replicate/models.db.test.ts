import { describe, expect, it } from '@jest/globals';
import { faceGateway } from '../testing/faceGateway.ts';

const { post, gateway, key, organizationId } = await faceGateway('replicate', [
  {
    slug: 'painter',
    description: 'Paints boats.',
    aliases: ['acme/painter:v1', 'acme/painter:v2', 'painter-of-acme'],
    input_schema: {
      type: 'object',
      properties: {
        prompt: { type: 'string' },
        image: { type: 'string', format: 'file' },
        style: { $ref: '#/$defs/style' },
      },
      $defs: { style: { enum: ['oil'] } },
    },
    output: { kind: 'images' },
  },
  {
    slug: 'poet',
    input_schema: { type: 'object', properties: { prompt: { type: 'string' } } },
    output: { kind: 'text' },
    stream: 'text',
    on_cancel: 'charge',
  },
]);
const { db } = gateway.context;
const client = gateway.client(key);
const get = async (path: string, status = 200) =>
  (await client.get(`/v1/replicate${path}`).expect(status)).body;

describe('a model', () => {
  it('has the names of its aliases, or one of its own, and versions', async () => {
    const painter = await get('/models/acme/painter');
    expect(painter).toMatchObject({
      url: 'http://gateway.test/v1/replicate/models/acme/painter',
      owner: 'acme',
      name: 'painter',
      visibility: 'public',
      run_count: 0,
      latest_version: { id: 'v1' },
    });
    const { results } = await get('/v1/models/acme/painter/versions');
    expect(results.map(({ id }: { id: string }) => id)).toEqual(['v1', 'v2']);
    expect(await get('/models/acme/painter/versions/v1')).toEqual(painter.latest_version);
    expect(await get('/models/holdfast/poet')).toMatchObject({ owner: 'holdfast', name: 'poet' });
    expect(await get('/deployments/acme/painter')).toMatchObject({ current_release: { version: 'v1' } });
    for (const path of ['/models/acme/poet', '/models/acme/painter/versions/v9', '/nothing'])
      expect(await get(path, 404)).toMatchObject({ title: 'Not Found', status: 404 });
  });

  it('has a schema as that of a container, whose files are URLs', async () => {
    const { cog_version, openapi_schema } = await get('/models/acme/painter/versions/v1');
    expect(cog_version).toMatch(/^0\.\d+\.0$/);
    expect(openapi_schema.components.schemas).toMatchObject({
      Input: {
        title: 'Input',
        properties: {
          image: { type: 'string', format: 'uri' },
          style: { $ref: '#/components/schemas/Input/$defs/style' },
        },
      },
      Output: { type: 'array', items: { type: 'string', format: 'uri' } },
    });
    const [poet] = (await get('/models/holdfast/poet/versions')).results;
    expect(poet.openapi_schema.components.schemas.Output).toMatchObject({
      'x-cog-array-type': 'iterator',
      'x-cog-array-display': 'concatenate',
    });
  });

  it('is listed to keys that may use it, and found by its words', async () => {
    const { results, next } = await get('/models');
    const names = results.map(({ owner, name }: { owner: string; name: string }) => `${owner}/${name}`);
    expect([names.includes('acme/painter'), names.includes('holdfast/poet'), next]).toEqual([
      true,
      true,
      null,
    ]);
    // QUERY is not among the methods of the tests' client.
    const search = client.post('/v1/replicate/models').set('content-type', 'text/plain');
    search.method = 'QUERY';
    const found = await search.send('paints BOATS').expect(200);
    expect(found.body.results).toMatchObject([{ owner: 'acme', name: 'painter' }]);
  });
});

describe('a file', () => {
  const bytes = Buffer.from('hello');

  it('is uploaded, read, listed, used and deleted', async () => {
    const { body } = await post('/v1/files')
      .attach('content', bytes, { filename: 'a.txt', contentType: 'text/plain' })
      .attach('metadata', Buffer.from('{}'), { filename: 'blob', contentType: 'application/json' })
      .expect(201);
    expect(body).toMatchObject({
      name: 'a.txt',
      content_type: 'text/plain',
      size: 5,
      etag: expect.any(String),
      metadata: {},
      checksums: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      urls: { get: `http://gateway.test/v1/replicate/files/${body.id}` },
    });
    expect(await get(`/files/${body.id}`)).toEqual({ ...body, checksums: {} });
    const input = { prompt: 'a boat', image: body.urls.get };
    const prediction = (await post('/models/acme/painter/predictions').send({ input })).body;
    const made = await db.prisma.execution.findUniqueOrThrow({ where: { id: prediction.id } });
    expect(made.input).toMatchObject({ image: body.id });
    await client.delete(`/v1/replicate/v1/files/${body.id}`).expect(204);
    await get(`/files/${body.id}`, 404);
  });

  it('is listed by pages', async () => {
    for (const name of ['a', 'b', 'c']) await post('/files').attach('content', bytes, name).expect(201);
    const first = await get('/files?limit=2');
    expect([first.results.length, first.previous]).toEqual([2, null]);
    const second = await get(first.next.replace('http://gateway.test/v1/replicate', ''));
    expect([second.results.length, second.next]).toEqual([1, null]);
  });

  it('needs its content', async () => {
    for (const sent of [post('/files').field('name', 'a'), post('/files').send({})])
      expect((await sent).status).toBe(422);
  });
});

it.each([
  ['/v1/replicate/account', 'Token', 200],
  ['/v1/replicate/v1/account', 'token', 200],
  ['/v1/replicate/account', 'Key', 401],
  ['/v1/balance', 'Token', 401],
])('a request to %s with its key as `%s` gets %i', async (path, scheme, status) => {
  await client.get(path).set('Authorization', `${scheme} ${key}`).expect(status);
});

it('an account is the organization, and what Holdfast does not have is empty', async () => {
  expect(await get('/account')).toMatchObject({ type: 'organization', username: organizationId });
  const { key: secret } = await get('/webhooks/default/secret');
  expect(secret).toMatch(/^whsec_/);
  for (const name of ['collections', 'deployments', 'trainings'])
    expect(await get(`/v1/${name}`)).toEqual({ results: [], next: null, previous: null });
  expect(await get('/hardware')).toEqual([]);
});
