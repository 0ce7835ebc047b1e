import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { organizationWithKey } from '../../testing/testGateway.ts';
import { faceGateway } from '../testing/faceGateway.ts';

const { post, gateway, key } = await faceGateway('openai', [
  { slug: 'writer', input_schema: { type: 'object' }, output: { kind: 'text' } },
]);
const client = gateway.client(key);
const pieces = ['first,', 'second'];
const whole = { filename: 'lines.csv', purpose: 'vision', bytes: 12, mime_type: 'text/csv' };

const start = async (more: object = {}): Promise<string> =>
  (
    await post('/uploads')
      .send({ ...whole, ...more })
      .expect(200)
  ).body.id;

const addPart = (id: string, data: string) =>
  post(`/uploads/${id}/parts`).attach('data', Buffer.from(data), 'part');

async function started(more: object = {}) {
  const id = await start(more);
  const part_ids: string[] = [];
  for (const piece of pieces) part_ids.push((await addPart(id, piece).expect(200)).body.id);
  return { id, part_ids, complete: (body: object) => post(`/uploads/${id}/complete`).send(body) };
}

describe('an upload in parts', () => {
  it('becomes a file of its purpose, the same again when its completion is repeated', async () => {
    const { id, part_ids, complete } = await started({
      expires_after: { anchor: 'created_at', seconds: 60 },
    });
    expect((await client.get('/v1/openai/files')).body.data).toEqual([]);
    const md5 = createHash('md5').update(pieces.join('')).digest('hex');
    const { body } = await complete({ part_ids, md5 }).expect(200);
    expect(body).toMatchObject({
      id,
      object: 'upload',
      status: 'completed',
      purpose: 'vision',
      file: { object: 'file', filename: 'lines.csv', bytes: 12, purpose: 'vision', status: 'processed' },
    });
    expect(body.file.expires_at).toBeGreaterThan(body.file.created_at);
    expect((await complete({ part_ids }).expect(200)).body).toEqual(body);
    const content = await client.get(`/v1/openai/files/${body.file.id}/content`).buffer().expect(200);
    expect(content.text).toBe(pieces.join(''));
    expect((await client.get('/v1/openai/files')).body.data).toEqual([body.file]);
    const kept = { filename: { endsWith: '.part' }, expiresAt: { gt: new Date() } };
    expect(await gateway.context.db.prisma.file.count({ where: kept })).toBe(0);
    await addPart(id, 'more').expect(400);
    await post(`/uploads/${id}/cancel`).expect(400);
  });

  it.each([
    ['without a part', (ids: string[]) => ({ part_ids: ids.slice(1) }), 'part_ids'],
    ['with a part twice', (ids: string[]) => ({ part_ids: [...ids, ...ids] }), 'part_ids'],
    ['with an unknown part', () => ({ part_ids: ['part_none'] }), 'parts'],
    ['with another checksum', (part_ids: string[]) => ({ part_ids, md5: '0'.repeat(32) }), 'md5'],
  ])('is refused %s, and can be completed then', async (_how, bodyOf, param) => {
    const { part_ids, complete } = await started();
    const refused = await complete(bodyOf(part_ids));
    expect([refused.status, refused.body.error.param]).toEqual([400, param]);
    await complete({ part_ids }).expect(200);
  });

  it('takes no part of another upload', async () => {
    const [one, other] = [await started(), await started()];
    await one.complete({ part_ids: other.part_ids }).expect(400);
  });

  it('is gone once it is cancelled, after an hour, and for other organizations', async () => {
    const cancelled = await start();
    const { body } = await post(`/uploads/${cancelled}/cancel`).expect(200);
    expect(body).toMatchObject({ id: cancelled, status: 'cancelled' });
    const late = await start();
    const where = { id: late.replace('upload_', 'file_') };
    const data = { createdAt: new Date(Date.now() - 3_601_000) };
    await gateway.context.db.prisma.file.update({ where, data });
    for (const id of [cancelled, late, 'upload_none', late.replace('upload_', 'file_')])
      await addPart(id, 'x').expect(404);
    const theirs = await start();
    const other = gateway.client((await organizationWithKey(gateway)).key);
    await other.post(`/v1/openai/uploads/${theirs}/cancel`).expect(404);
  });

  it.each([
    ['that is too large', { bytes: 157_286_401 }, 'bytes'],
    ['without a purpose', { purpose: undefined }, 'purpose'],
  ])('%s is refused', async (_what, more, param) => {
    const { status, body } = await post('/uploads').send({ ...whole, ...more });
    expect([status, body.error.param]).toEqual([400, param]);
  });

  it('needs the bytes of a part', async () => {
    const id = await start();
    const { body } = await post(`/uploads/${id}/parts`).field({ data: 'text' }).expect(400);
    expect(body.error.param).toBe('data');
  });
});
