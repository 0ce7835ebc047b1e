import { describe, expect, it } from '@jest/globals';
import { organizationWithKey } from '../../testing/testGateway.ts';
import { faceGateway, type TestOutput } from '../testing/faceGateway.ts';

const stillSchema = {
  type: 'object',
  additionalProperties: false,
  properties: { prompt: { type: 'string' }, image: { type: 'string', format: 'file' } },
} as const;
const { post, run, gateway, key, organizationId } = await faceGateway('openai', [
  {
    slug: 'film',
    input_schema: {
      type: 'object',
      additionalProperties: false,
      required: ['prompt'],
      properties: {
        prompt: { type: 'string' },
        duration: { type: 'integer' },
        size: { type: 'string' },
        image: { type: 'string', format: 'file' },
        source_video: { type: 'string', format: 'file' },
      },
    },
    output: { kind: 'videos' },
  },
  { slug: 'still', input_schema: stillSchema, output: { kind: 'videos' } },
  { slug: 'writer', input_schema: { type: 'object' }, output: { kind: 'text' } },
]);
const { db } = gateway.context;
const client = gateway.client(key);
const path = '/v1/openai/videos';

let count = 0;
const film = () =>
  post('/videos').field({ model: 'film', prompt: `scene ${count++}`, seconds: '8', size: '1280x720' });

describe('a video', () => {
  it('is read and downloaded when it has completed', async () => {
    const bytes = Buffer.from('the bytes of a video');
    const { response, execution } = await run(film(), async (store) => ({
      videos: [{ file_id: await store('a.mp4', bytes, 'video/mp4'), format: 'mp4' }],
    }));
    expect(execution.input).toEqual({ prompt: `scene ${count - 1}`, duration: 8, size: '1280x720' });
    const { body, headers } = await client.get(`${path}/${response.body.id}`).expect(200);
    expect(body).toMatchObject({ id: response.body.id, status: 'completed', progress: 100, error: null });
    expect([headers['holdfast-cost'], headers['openai-poll-after-ms']]).toEqual(['0.01', '2000']);
    const content = await client.get(`${path}/${body.id}/content`).buffer().expect(200);
    expect([content.headers['content-type'], Buffer.compare(content.body, bytes)]).toEqual(['video/mp4', 0]);
  });

  it('is queued at once, and says why it failed', async () => {
    const { body } = await film().expect(200);
    expect(body).toMatchObject({ object: 'video', model: 'film', status: 'queued', progress: 0 });
    const id = body.id.replace('video_', 'exec_');
    const data = {
      status: 'FAILED',
      completedAt: new Date(),
      errorCode: 'GENERATION_FAILED',
      errorMessage: 'no film',
    };
    await db.prisma.execution.update({ where: { id }, data });
    expect((await client.get(`${path}/${body.id}`)).body).toMatchObject({
      status: 'failed',
      error: { message: 'no film' },
    });
    expect((await client.get(`${path}/${body.id}/content`)).status).toBe(500);
  });

  it('is cancelled by its deletion while it is made', async () => {
    const { body } = await film().expect(200);
    expect((await client.delete(`${path}/${body.id}`).expect(200)).body).toMatchObject({ deleted: true });
    const { status } = await db.prisma.execution.findUniqueOrThrow({
      where: { id: body.id.replace('video_', 'exec_') },
    });
    expect(status).toBe('CANCELLED');
    for (const request of [client.get(`${path}/${body.id}`), client.delete(`${path}/${body.id}`)])
      await request.expect(404);
  });

  it('is listed in either order, by pages', async () => {
    const made = [];
    for (let one = 0; one < 3; one++) made.unshift((await film().expect(200)).body.id);
    const first = (await client.get(`${path}?limit=2`).expect(200)).body;
    expect([first.data.map(({ id }: { id: string }) => id), first.has_more]).toEqual([
      made.slice(0, 2),
      true,
    ]);
    const second = (await client.get(`${path}?limit=1&after=${first.last_id}`).expect(200)).body;
    expect(second.data[0].id).toBe(made[2]);
    const oldest = (await client.get(`${path}?order=asc&after=${made[2]}`).expect(200)).body;
    expect(oldest.data.map(({ id }: { id: string }) => id)).toEqual([made[1], made[0]]);
    await client.get(`${path}?after=none`).expect(404);
    const other = await organizationWithKey(gateway);
    expect(other.organizationId).not.toBe(organizationId);
    expect((await gateway.client(other.key).get(path)).body.data).toEqual([]);
    await gateway.client(other.key).get(`${path}/${made[0]}`).expect(404);
  });

  const outputOf = async (store: Parameters<TestOutput>[0]) => ({
    videos: [{ file_id: await store('a.mp4', Buffer.from('bytes'), 'video/mp4'), format: 'mp4' }],
  });

  it('is remixed from another, with its settings and a new prompt', async () => {
    const { response, execution } = await run(film(), outputOf);
    const remix = (id: string) => post(`/videos/${id}/remix`).send({ prompt: 'at night' });
    const { body } = await remix(response.body.id).expect(200);
    expect(body).toMatchObject({ status: 'queued', remixed_from_video_id: response.body.id });
    const [{ file_id: source_video }] = Object(execution.output).videos;
    const where = { id: body.id.replace('video_', 'exec_') };
    const { input } = await db.prisma.execution.findUniqueOrThrow({ where });
    expect(input).toEqual({ prompt: 'at night', duration: 8, size: '1280x720', source_video });
    // It has not completed itself.
    expect((await remix(body.id).expect(400)).body.error.param).toBe('video_id');
    await remix('video_none').expect(404);
    const still = await run(post('/videos').field({ model: 'still', prompt: 'x' }), outputOf);
    expect((await remix(still.response.body.id).expect(400)).body.error.param).toBe('video');
  });

  it.each([
    ['of a model that makes none', { model: 'writer', prompt: 'x' }, 400],
    ['without a prompt', { model: 'film' }, 400],
    ['of a length that is no number', { model: 'film', prompt: 'x', seconds: 'long' }, 400],
  ])('%s is refused', async (_what, fields, status) => {
    const response = await post('/videos').field(fields);
    expect([response.status, response.body.error.type]).toEqual([status, 'invalid_request_error']);
  });
});
