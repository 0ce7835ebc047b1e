import { modelDefinition } from '@holdfast/domain/modelDefinition';
import { connectWorker } from '@holdfast/queues/connection';
import { type CheckModelResult, checkModelQueue } from '@holdfast/queues/definitions';
import { startWorker } from '@holdfast/queues/worker';
import { emptyRedis } from '@holdfast/testkit/testRedis';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createAdminApp } from '../adminApp.ts';
import { clientOf, startTestGateway } from '../testing/testGateway.ts';

const tokens = { ada: 'a'.repeat(24), vic: 'v'.repeat(24) };
const gateway = await startTestGateway({
  ADMIN_TOKEN: `ada:${tokens.ada},vic:${tokens.vic}`,
  ADMIN_ROLES: 'vic:viewer',
});
await emptyRedis(gateway.servers.redisUrl);
const app = createAdminApp(gateway.context);
const admin = clientOf(app, tokens.ada);

const redis = connectWorker(gateway.servers.redisUrl, gateway.context.log);
/** In place of a dispatcher: its texts are JSON, and each problem is on line 4. */
const dispatcher = startWorker({
  queue: checkModelQueue,
  redis,
  concurrency: 1,
  log: gateway.context.log,
  process: async ({ yaml, active }): Promise<CheckModelResult> => {
    const given = { ...JSON.parse(yaml), ...(active !== null && { active }) };
    const { data, error } = modelDefinition.safeParse(given);
    const problems = error?.issues.map(({ path }) => ({ line: 4, message: `${path.join('.')}: is wrong` }));
    const isKnown = data?.providers.every(({ connection }) => connection === 'gpu') ?? false;
    return {
      slug: given.slug,
      yaml: JSON.stringify(given),
      definition: data ? JSON.stringify(data) : null,
      problems: problems ?? [],
      warnings: [],
      isOffered: isKnown && data?.active === true,
      missing: isKnown ? null : 'OTHER_BASE_URL is not set',
    };
  },
});
afterAll(async () => {
  await dispatcher.stop();
  redis.disconnect();
  await gateway.close();
});

const yaml = (slug: string, more: object = {}) =>
  JSON.stringify({
    slug,
    provider: { adapter: 'cog', connection: 'gpu', model: 'm' },
    input_schema: { type: 'object' },
    price: { per_run: '0.01' },
    output: { kind: 'raw' },
    ...more,
  });
const priced = (slug: string, price: unknown) => yaml(slug, { price: { per_run: price } });

const put = (slug: string, body: object) => admin.put(`/admin/v1/models/${slug}`).send(body);
const check = async (text: string) =>
  (await admin.post('/admin/v1/models/check').send({ yaml: text }).expect(200)).body;

async function applied(slug: string) {
  const { body } = await put(slug, { yaml: yaml(slug), version: null }).expect(200);
  return body as { version: string };
}

describe('the models of the console', () => {
  it('are checked without a change: problems with their lines, or what would change', async () => {
    const wrong = await check(priced('dry', 1));
    expect(wrong).toMatchObject({ slug: 'dry', is_valid: false, changes: [], is_offered: false });
    expect(wrong.problems).toMatchObject([{ line: 4 }]);
    expect(await check(yaml('dry'))).toMatchObject({ is_valid: true, current: null, is_offered: true });
    await admin.get('/admin/v1/models/dry').expect(404);
    const { version } = await applied('dry');
    const provider = { adapter: 'cog', connection: 'other', model: 'm' };
    expect(await check(yaml('dry', { provider, timeout_s: 60 }))).toMatchObject({
      current: { version, source: 'console' },
      changes: [
        { field: 'timeout_s', from: '600', to: '60' },
        { field: 'providers.0.connection', from: '"gpu"', to: '"other"' },
      ],
      is_offered: false,
      missing: 'OTHER_BASE_URL is not set',
    });
  });

  it('are applied as they were written, and offered at once', async () => {
    await applied('fresh');
    const { body } = await admin.get('/admin/v1/models/fresh').expect(200);
    expect(body).toMatchObject({ is_active: true, source: 'console', yaml: yaml('fresh') });
    const { data } = (await admin.get('/admin/v1/models').expect(200)).body;
    expect(data).toContainEqual(
      expect.objectContaining({ slug: 'fresh', source: 'console', is_active: true }),
    );
  });

  it('are refused with all problems, or under another slug', async () => {
    const { body } = await put('bad', { yaml: priced('bad', '?'), version: null }).expect(400);
    expect(body.error.details).toMatchObject([
      { field: 'yaml', message: 'Line 4: price.per_run: is wrong.' },
    ]);
    await put('other', { yaml: yaml('bad'), version: null }).expect(400);
    await admin.get('/admin/v1/models/bad').expect(404);
  });

  it('are changed only by an operator who saw the current version', async () => {
    const { version } = await applied('raced');
    const all = await Promise.all(
      ['2', '3', '4'].map((price) => put('raced', { yaml: priced('raced', price), version })),
    );
    expect(all.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    const { body } = await put('raced', { yaml: priced('raced', '5'), version: null }).expect(409);
    expect(body.error).toMatchObject({
      code: 'MODEL_CHANGED',
      message: expect.stringContaining('was changed by the console at '),
    });
  });

  it('are switched off and on in their text, and both are recorded', async () => {
    const { version } = await applied('switched');
    const patch = (active: boolean, seen: string) =>
      admin.patch('/admin/v1/models/switched').send({ active, version: seen });
    const { body: off } = await patch(false, version).expect(200);
    expect(off).toMatchObject({ is_active: false, yaml: yaml('switched', { active: false }) });
    await patch(false, version).expect(200);
    await patch(true, version).expect(409);
    expect((await patch(true, off.version).expect(200)).body.is_active).toBe(true);
    const { data } = (await admin.get('/admin/v1/actions?action=models').expect(200)).body;
    expect(data[0]).toMatchObject({ actor: 'ada', target: 'switched', details: { active: true } });
  });

  it('are changed by admins alone; every role may check', async () => {
    const viewer = clientOf(app, tokens.vic);
    await viewer
      .put('/admin/v1/models/mine')
      .send({ yaml: yaml('mine'), version: null })
      .expect(403);
    await viewer
      .post('/admin/v1/models/check')
      .send({ yaml: yaml('mine') })
      .expect(200);
  });
});
