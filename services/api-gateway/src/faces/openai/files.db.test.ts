import { describe, expect, it } from '@jest/globals';
import { organizationWithKey } from '../../testing/testGateway.ts';
import { faceGateway } from '../testing/faceGateway.ts';

const { post, gateway, key } = await faceGateway('openai', [
  { slug: 'writer', input_schema: { type: 'object' }, output: { kind: 'text' } },
]);
const client = gateway.client(key);
const path = '/v1/openai/files';
const bytes = Buffer.from('{"custom_id":"a"}\n');

const upload = (purpose = 'batch') => post('/files').field({ purpose }).attach('file', bytes, 'lines.jsonl');

describe('a file', () => {
  it('is uploaded for a purpose, read, downloaded and deleted', async () => {
    const { body } = await upload().expect(200);
    expect(body).toMatchObject({
      object: 'file',
      filename: 'lines.jsonl',
      bytes: bytes.length,
      purpose: 'batch',
      status: 'processed',
    });
    expect((await client.get(`${path}/${body.id}`).expect(200)).body).toEqual(body);
    const content = await client.get(`${path}/${body.id}/content`).responseType('blob').expect(200);
    expect(Buffer.compare(content.body, bytes)).toBe(0);
    // It is a file of the organization as any other.
    await client.get(`/v1/files/${body.id}`).expect(200);
    expect((await client.delete(`${path}/${body.id}`).expect(200)).body).toEqual({
      id: body.id,
      object: 'file',
      deleted: true,
    });
    await client.get(`${path}/${body.id}`).expect(404);
  });

  it('expires when its client says', async () => {
    const { body } = await upload()
      .field({ 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '3600' })
      .expect(200);
    expect(body.expires_at).toBeGreaterThan(body.created_at);
  });

  it('is listed in either order, by purpose and by pages', async () => {
    const made = [];
    for (let one = 0; one < 3; one++) made.unshift((await upload('vision').expect(200)).body.id);
    await upload('other').expect(200);
    const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);
    const first = (await client.get(`${path}?purpose=vision&limit=2`).expect(200)).body;
    expect([idsOf(first), first.has_more]).toEqual([made.slice(0, 2), true]);
    const second = (await client.get(`${path}?purpose=vision&limit=2&after=${first.last_id}`).expect(200))
      .body;
    expect([idsOf(second), second.has_more]).toEqual([made.slice(2), false]);
    const after = `${path}?purpose=vision&order=asc&after=${made[2]}`;
    expect(idsOf((await client.get(after).expect(200)).body)).toEqual([made[1], made[0]]);
  });

  it('of another organization is not found', async () => {
    const { body } = await upload().expect(200);
    const other = gateway.client((await organizationWithKey(gateway)).key);
    for (const request of [
      other.get(`${path}/${body.id}`),
      other.get(`${path}/${body.id}/content`),
      other.delete(`${path}/${body.id}`),
    ])
      await request.expect(404);
    expect((await other.get(path).expect(200)).body.data).toEqual([]);
  });

  it.each([
    ['without a purpose', () => post('/files').attach('file', bytes, 'a'), 'purpose'],
    ['without bytes', () => post('/files').field({ purpose: 'batch' }), 'file'],
    ['as JSON', () => post('/files').send({ purpose: 'batch' }), 'file'],
  ])('%s is refused, and nothing is kept', async (_what, send, param) => {
    const kept = () =>
      gateway.context.db.prisma.file.count({ where: { NOT: { expiresAt: { lte: new Date() } } } });
    const before = await kept();
    const { status, body } = await send();
    expect([status, body.error.param]).toEqual([400, param]);
    expect(await kept()).toBe(before);
  });
});
