import { topUp } from '@holdfast/db/balances';
import { newId } from '@holdfast/domain/ids';
import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { createAdminApp } from '../adminApp.ts';
import { gatewayOfTests } from '../testing/testGateway.ts';

const gateway = await gatewayOfTests();
const admin = createAdminApp(gateway.context);

const token = () => gateway.context.config.ADMIN_TOKEN;
const get = (path: string) =>
  request(admin).get(`/admin/v1${path}`).set('Authorization', `Bearer ${token()}`);
const post = (path: string, body: object) =>
  request(admin).post(`/admin/v1${path}`).set('Authorization', `Bearer ${token()}`).send(body);
const newOrganization = async (): Promise<string> => (await post('/organizations', { name: 'Acme' })).body.id;

/** One that was refused, one that succeeded, one that runs. */
function attemptsOf(executionId: string) {
  const one = (number: number, state: string) => ({
    id: newId('att'),
    executionId,
    number,
    provider: 'secret_provider',
    target: 'theirs',
    state,
    token: newId('att'),
    createdAt: new Date('2026-01-01T00:00:00.000Z'),
  });
  const finishedAt = new Date('2026-01-01T00:00:01.500Z');
  const refusal = { ok: false, code: 'MODEL_OVERLOADED', message: 'Busy.' };
  const success = { ok: true, output: {}, inputTokens: 0, outputTokens: 0, cost: '0.01200000' };
  return [
    { ...one(1, 'refused'), finishedAt, outcome: refusal, rawError: '503 upstream is out of GPUs' },
    { ...one(2, 'succeeded'), finishedAt, outcome: success },
    one(3, 'running'),
  ];
}

describe('the admin API', () => {
  it('serves its OpenAPI document', async () => {
    const { body } = await request(admin).get('/openapi.json').expect(200);
    expect(Object.keys(body.paths)).toContain('/admin/v1/organizations');
    expect(Object.keys(body.paths)).toContain('/admin/v1/session');
  });

  it('requires an admin token', async () => {
    const { body } = await post(`/organizations/${await newOrganization()}/api-keys`, { name: 'a' }).expect(
      201,
    );
    for (const bearer of ['', 'wrong', `${token()}x`, body.key]) {
      const response = await request(admin)
        .get('/admin/v1/organizations')
        .set('Authorization', `Bearer ${bearer}`);
      expect([response.status, response.body.error.code]).toEqual([401, 'UNAUTHENTICATED']);
    }
  });

  it('serves the page of each error that it returns, without a token', async () => {
    const { body } = await request(admin).get('/admin/v1/organizations').expect(401);
    const { pathname } = new URL(body.error.doc_url);
    // Built or not, the page names the code.
    const { text } = await request(admin).get(pathname);
    expect(text).toMatch(/UNAUTHENTICATED[^]*HTTP 401|HTTP 401[^]*UNAUTHENTICATED/);
  });

  it('is not served on the port of the public API, nor the public API on its port', async () => {
    await request(gateway.app).get('/admin/v1/models').set('Authorization', `Bearer ${token()}`).expect(404);
    await request(admin).get('/v1/models').set('Authorization', `Bearer ${token()}`).expect(404);
  });

  it('creates organizations with an empty balance and a sealed webhook secret', async () => {
    const { body } = await post('/organizations', { name: ' Acme ' }).expect(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^org_/),
      name: 'Acme',
      created_at: expect.any(String),
      max_concurrency: null,
      test_of: null,
      overage: null,
      spend_limit_overage: null,
      in_force: { overage: 'charge', spend_limit_overage: 'cap' },
      spend_limit: null,
    });
    const read = await get(`/organizations/${body.id}`).expect(200);
    expect(read.body).toEqual({
      ...body,
      balance: { available: '0.00', held: '0.00', total: '0.00', currency: 'USD' },
    });
    const row = await gateway.context.db.prisma.organization.findUniqueOrThrow({ where: { id: body.id } });
    expect(gateway.context.box.open(row.webhookSecret)).toMatch(/^whsec_/);
    expect(row.webhookSecret).not.toContain('whsec_');
  });

  it('lists organizations newest first, page by page', async () => {
    const ids = [await newOrganization(), await newOrganization()].toReversed();
    const first = await get('/organizations?limit=1').expect(200);
    const second = await get(`/organizations?limit=1&cursor=${first.body.next_cursor}`).expect(200);
    expect([first.body.data[0].id, second.body.data[0].id]).toEqual(ids);
  });

  it('finds organizations by part of their name in any case, or by their id', async () => {
    const create = async (name: string): Promise<string> => (await post('/organizations', { name })).body.id;
    const [percent, other] = [await create('Zebra 50%_off'), await create('Zebra 500 off')];
    const list = async (query: Record<string, string>): Promise<string[]> => {
      const { body } = await get(`/organizations?${new URLSearchParams(query).toString()}`).expect(200);
      return body.data.map(({ id }: { id: string }) => id);
    };
    const found = (text: string) => list({ text });
    expect(await found('zEBRA')).toEqual([other, percent]);
    expect(await found('50%_')).toEqual([percent]);
    expect(await found(percent)).toEqual([percent]);
    expect(await found(`${percent}%`)).toEqual([]);
    const ids = [percent, other, newId('org')].join(',');
    expect(await list({ ids })).toEqual([other, percent]);
    expect(await list({ ids, cursor: other })).toEqual([percent]);
    await post(`/organizations/${percent}/api-keys`, { name: 'a', mode: 'test' }).expect(201);
    const [test = ''] = await list({ text: 'Zebra 50%_off (test)', test: 'true' });
    expect([await found('zebra'), await found(test), await list({ ids: test })]).toEqual([
      [other, percent],
      [test],
      [test],
    ]);
    for (const wrong of ['x', `${percent},`, Array(101).fill(percent).join(',')])
      await get(`/organizations?ids=${wrong}`).expect(400);
  });

  it('changes only the given fields of an organization', async () => {
    const id = await newOrganization();
    const patch = (body: object, of = id) =>
      request(admin)
        .patch(`/admin/v1/organizations/${of}`)
        .set('Authorization', `Bearer ${token()}`)
        .send(body);
    const { body: limited } = await patch({ max_concurrency: 5 }).expect(200);
    expect(limited).toMatchObject({ id, name: 'Acme', max_concurrency: 5, spend_limit: null });
    await patch({ name: ' Other ' }).expect(200);
    const { body: read } = await get(`/organizations/${id}`).expect(200);
    expect(read).toMatchObject({ name: 'Other', max_concurrency: 5 });
    expect((await patch({ max_concurrency: null }).expect(200)).body.max_concurrency).toBeNull();
    for (const bad of [{ max_concurrency: 0 }, { max_concurrency: 1.5 }, { name: '' }, { limit: 1 }]) {
      await patch(bad).expect(400);
    }
    await patch({ name: 'a' }, newId('org')).expect(404);
  });

  it('creates keys that work at once', async () => {
    const id = await newOrganization();
    const { body } = await post(`/organizations/${id}/api-keys`, { name: 'main' }).expect(201);
    expect(body).toMatchObject({ name: 'main', permissions: 'full', key: expect.stringMatching(/^sk_/) });
    await gateway.client(body.key).get('/v1/balance').expect(200);
    const list = await get(`/organizations/${id}/api-keys`).expect(200);
    expect(list.body.data).toMatchObject([{ id: body.id, name: 'main' }]);
    expect(list.text).not.toContain(body.key);
  });

  it('returns 404 for unknown organizations', async () => {
    for (const id of [newId('org'), 'org_x', newId('exec')]) {
      await get(`/organizations/${id}`).expect(404);
      await get(`/organizations/${id}/api-keys`).expect(404);
      await post(`/organizations/${id}/api-keys`, { name: 'a' }).expect(404);
      await post(`/organizations/${id}/top-ups`, { amount: '1' }).expect(404);
    }
  });

  it('shows any execution with its attempts, and every model with its provider', async () => {
    const id = await newOrganization();
    await topUp(gateway.context.db, { organizationId: id, amount: '5', reason: null, idempotencyKey: null });
    const { body: key } = await post(`/organizations/${id}/api-keys`, { name: 'a' });
    const created = await gateway
      .client(key.key)
      .post('/v1/executions')
      .send({ model: 'writer', input: { prompt: 'a' } })
      .expect(202);
    const { body } = await get(`/executions/${created.body.id}`).expect(200);
    expect(body).toMatchObject({ id: created.body.id, organization_id: id, status: 'PENDING', attempts: [] });
    await get(`/executions/${newId('exec')}`).expect(404);
    await get(`/executions/${newId('exec')}/attempts`).expect(404);
    await gateway.context.db.prisma.attempt.createMany({ data: attemptsOf(created.body.id) });
    const { body: attempts } = await get(`/executions/${created.body.id}/attempts`).expect(200);
    expect(attempts.data).toMatchObject([
      {
        number: 1,
        provider: 'secret_provider',
        target: 'theirs',
        state: 'refused',
        external_id: null,
        duration_ms: 1500,
        outcome: { ok: false, code: 'MODEL_OVERLOADED', message: 'Busy.' },
        raw_error: '503 upstream is out of GPUs',
        cost: null,
      },
      { number: 2, outcome: { ok: true, code: null, message: null }, raw_error: null, cost: '0.012' },
      { number: 3, state: 'running', outcome: null, finished_at: null, duration_ms: null },
    ]);
    const { body: whole } = await get(`/executions/${created.body.id}`).expect(200);
    expect(whole.attempts).toEqual(attempts.data);
    const models = await get('/models').expect(200);
    expect(models.body.data).toHaveLength(4);
    expect(models.text).toContain('secret_provider');
  });
});
