import { isApiKeyShape } from '@holdfast/domain/apiKey';
import { newId } from '@holdfast/domain/ids';
import { until } from '@holdfast/testkit/until';
import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { gatewayOfTests, openTestGateway } from '../../testing/testGateway.ts';

const gateway = await gatewayOfTests();
const organizationId = await gateway.newOrganization();
const key = await gateway.newKey(organizationId);

const post = (path: string, as = key) => gateway.client(as).post(path);
const get = (path: string, as = key) => gateway.client(as).get(path);
const revoke = (id: string, as = key) => gateway.client(as).delete(`/v1/api-keys/${id}`);

describe('API keys', () => {
  it('are returned once, listed without their value, and work', async () => {
    const created = await post('/v1/api-keys').send({ name: 'CI', permissions: 'execution' }).expect(201);
    expect(isApiKeyShape(created.body.key)).toBe(true);
    expect(created.body).toMatchObject({
      name: 'CI',
      permissions: 'execution',
      prefix: created.body.key.slice(0, 11),
    });

    const { body } = await get('/v1/api-keys').expect(200);
    expect(body.data[0]).toEqual({
      id: created.body.id,
      name: 'CI',
      prefix: created.body.prefix,
      permissions: 'execution',
      mode: 'live',
      scopes: ['executions:write', 'executions:read', 'files'],
      expires_at: null,
      models: [],
      addresses: [],
      created_at: created.body.created_at,
      revoked_at: null,
      spend_limit: null,
    });
    await get('/v1/api-keys', created.body.key).expect(403);
  });

  it('rotate without a body under the same id; both values work for the hour', async () => {
    const { body: created } = await post('/v1/api-keys').send({ name: 'rotated' }).expect(201);
    const { body: rotated } = await post(`/v1/api-keys/${created.id}/rotate`).expect(200);
    expect(rotated).toMatchObject({ id: created.id, name: 'rotated', permissions: 'full' });
    const livesMs = Date.parse(rotated.previous_key_valid_until) - Date.now();
    expect(livesMs).toBeGreaterThan(3_590_000);
    expect(livesMs).toBeLessThan(3_610_000);
    await get('/v1/api-keys', created.key).expect(200);
    await get('/v1/api-keys', rotated.new_key).expect(200);
  });

  it('that are rotated concurrently have one value without an expiry', async () => {
    const { body: created } = await post('/v1/api-keys').send({ name: 'raced' }).expect(201);
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => post(`/v1/api-keys/${created.id}/rotate`)),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const values = await gateway.context.db.prisma.apiKeyValue.findMany({ where: { apiKeyId: created.id } });
    expect(values).toHaveLength(9);
    expect(values.filter(({ validUntil }) => validUntil === null)).toHaveLength(1);
  });

  it('that are revoked stay listed, stop working and cannot be rotated', async () => {
    const { body: created } = await post('/v1/api-keys').send({ name: 'gone' }).expect(201);
    await revoke(created.id).expect(200, { id: created.id, revoked: true });
    await revoke(created.id).expect(200);
    await get('/v1/api-keys', created.key).expect(401);
    await post(`/v1/api-keys/${created.id}/rotate`).expect(404);
    const { body } = await get('/v1/api-keys').expect(200);
    expect(body.data[0].revoked_at).not.toBeNull();
  });

  it('that are revoked at one gateway stop working at the others within 5 s', async () => {
    const twin = await openTestGateway(gateway.servers);
    try {
      const { body: created } = await post('/v1/api-keys').send({ name: 'seen' }).expect(201);
      const askTwin = () => request(twin.app).get('/v1/balance').auth(created.key, { type: 'bearer' });
      await askTwin().expect(200);
      await revoke(created.id).expect(200);
      const revokedMs = performance.now();
      let acceptedMs = revokedMs;
      await until('the twin refuses it', async () => {
        const askedMs = performance.now();
        if ((await askTwin()).status === 401) return true;
        acceptedMs = askedMs;
        return false;
      });
      expect(acceptedMs - revokedMs).toBeLessThan(5000);
    } finally {
      await twin.close();
    }
  });

  it('of other organizations are 404', async () => {
    const outsider = await gateway.newKey(await gateway.newOrganization());
    const { body } = await get('/v1/api-keys').expect(200);
    for (const id of [body.data[0].id, newId('key'), 'nonsense']) {
      const refused = await revoke(id, outsider).expect(404);
      expect(refused.body.error.code).toBe('NOT_FOUND');
      await post(`/v1/api-keys/${id}/rotate`, outsider).expect(404);
    }
  });

  it('are at most 20, even when created concurrently', async () => {
    const owner = await gateway.newKey(await gateway.newOrganization());
    const responses = await Promise.all(
      Array.from({ length: 30 }, () => post('/v1/api-keys', owner).send({ name: 'many' })),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(19);
    const refused = responses.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(11);
    expect(refused[0]?.body.error.code).toBe('API_KEY_LIMIT_REACHED');
  });

  it('require a name and refuse unknown fields', async () => {
    const { body } = await post('/v1/api-keys').send({ surprise: 1 }).expect(400);
    expect(
      body.error.details.map(({ field, code }: { field: string; code: string }) => [field, code]),
    ).toEqual([
      ['name', 'REQUIRED'],
      ['surprise', 'UNKNOWN_FIELD'],
    ]);
  });
});
