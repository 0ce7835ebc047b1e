import { auditLedger } from '@holdfast/db/audit/audit';
import { applyModels } from '@holdfast/db/models';
import { modelDefinition } from '@holdfast/domain/modelDefinition';
import { beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { createAdminApp } from '../adminApp.ts';
import { gatewayWithAdjuster } from '../testing/adjuster.ts';
import { organizationWithKey } from '../testing/testGateway.ts';

const gateway = await gatewayWithAdjuster();
let organizationId: string;
let live: string;

const sandbox = { adapter: 'cog', connection: 'sandbox', model: 'm' };
const real = { adapter: 'cog', connection: 'real', model: 'm' };
const model = (slug: string, providers: object[], price: string, batch?: string) =>
  modelDefinition.parse({
    slug,
    providers,
    input_schema: { type: 'object' },
    price: { per_run: price, ...(batch && { batch }) },
    output: { kind: 'raw' },
  });

beforeAll(async () => {
  const models = [
    model('play', [sandbox], '700000000', '0.5'),
    model('real', [real], '1'),
    model('both', [sandbox, real], '1'),
  ];
  await applyModels(gateway.context.db, models, () => true);
  ({ organizationId, key: live } = await organizationWithKey(gateway, { balance: '100' }));
});

type Method = 'get' | 'post' | 'delete';
const ask = (method: Method, path: string, as: string) => gateway.client(as)[method](path);
const operate = (method: Method, path: string) => {
  const pending = request(createAdminApp(gateway.context))[method](`/admin/v1${path}`);
  return pending.auth(gateway.context.config.ADMIN_TOKEN, { type: 'bearer' });
};

async function makeTestKey(as = live): Promise<{ id: string; key: string }> {
  const { body } = await ask('post', '/v1/api-keys', as).send({ name: 'test', mode: 'test' }).expect(201);
  expect(body.mode).toBe('test');
  return body;
}

describe('test keys', () => {
  it('share one test organization, even when many are created at once', async () => {
    const { body: before } = await ask('get', '/v1/balance', live).expect(200);
    const keys = await Promise.all([makeTestKey(), makeTestKey(), makeTestKey()]);
    const twins = await gateway.context.db.prisma.organization.findMany({
      where: { testOf: organizationId },
    });
    expect(twins).toHaveLength(1);
    const { body } = await ask('post', '/v1/executions', keys[0]?.key ?? '')
      .send({ model: 'play', input: {} })
      .expect(202);
    for (const { key } of keys) await ask('get', `/v1/executions/${body.id}`, key).expect(200);
    await ask('get', `/v1/executions/${body.id}`, live).expect(404);
    await ask('get', '/v1/balance', live).expect(200, before);
    expect((await ask('get', '/v1/executions', live)).body.data).toEqual([]);
  });

  it('are never refused for lack of balance, and their ledger stays exact', async () => {
    const { key } = await makeTestKey();
    for (const _ of [1, 2, 3])
      await ask('post', '/v1/executions', key).send({ model: 'play', input: {} }).expect(202);
    const { body } = await ask('get', '/v1/balance/transactions', key).expect(200);
    expect(JSON.stringify(body)).toContain('test balance');
    expect(await auditLedger(gateway.context.db)).toEqual([]);
    await ask('post', '/v1/executions', live).send({ model: 'play', input: {} }).expect(402);
  });

  it('run only sandbox models', async () => {
    const { key } = await makeTestKey();
    const { body } = await ask('get', '/v1/models', key).expect(200);
    expect(body.data.map(({ slug }: { slug: string }) => slug)).toEqual(['play']);
    for (const slug of ['real', 'both']) {
      for (const path of ['/v1/executions', '/v1/executions/estimate']) {
        const refused = await ask('post', path, key).send({ model: slug, input: {} }).expect(403);
        expect(refused.body.error.message).toContain('only run sandbox models: `play`');
      }
      await ask('get', `/v1/models/${slug}`, key).expect(403);
    }
    await ask('post', '/v1/executions/estimate', live).send({ model: 'both', input: {} }).expect(200);
  });

  it('run batches of sandbox models, at the price of batches, and have the balance for a reservation', async () => {
    const { key } = await makeTestKey();
    const { body: batch } = await ask('post', '/v1/batches', key).send({ reserve: true }).expect(202);
    const lines = ['play', 'real'].map((slug) => JSON.stringify({ custom_id: slug, model: slug, input: {} }));
    const sent = ask('post', `/v1/batches/${batch.id}/items`, key).set(
      'Content-Type',
      'application/x-ndjson',
    );
    const { text } = await sent.buffer(true).send(lines.join('\n')).expect(200);
    expect(text).toContain('only run sandbox models: `play`');
    const { body: before } = await ask('get', '/v1/balance', key).expect(200);
    await ask('post', `/v1/batches/${batch.id}/seal`, key).expect(200);
    const { body: after } = await ask('get', '/v1/balance', key).expect(200);
    // Half of the price, with the margin of a hold.
    expect(Number(after.held) - Number(before.held)).toBe(420_000_000);
    const { data } = (await ask('get', `/v1/batches/${batch.id}/items`, key).expect(200)).body;
    expect(data).toMatchObject([{ custom_id: 'play', status: 'waiting' }]);
    expect(await auditLedger(gateway.context.db)).toEqual([]);
  });

  it('are listed, rotated and revoked by live keys, and create no live keys', async () => {
    const { id, key } = await makeTestKey();
    const { body } = await ask('get', '/v1/api-keys', live).expect(200);
    const modes = body.data.map(({ mode }: { mode: string }) => mode);
    expect(new Set(modes)).toEqual(new Set(['test', 'live']));
    const { body: seen } = await ask('get', '/v1/api-keys', key).expect(200);
    expect(seen.data.every(({ mode }: { mode: string }) => mode === 'test')).toBe(true);

    await ask('post', '/v1/api-keys', key).send({ name: 'live', mode: 'live' }).expect(403);
    const { body: child } = await ask('post', '/v1/api-keys', key).send({ name: 'child' }).expect(201);
    expect(child.mode).toBe('test');
    const { id: liveId } = body.data.find(({ mode }: { mode: string }) => mode === 'live');
    await ask('post', `/v1/api-keys/${liveId}/rotate`, key).expect(404);
    await ask('delete', `/v1/api-keys/${liveId}`, key).expect(404);

    const { body: rotated } = await ask('post', `/v1/api-keys/${id}/rotate`, live).expect(200);
    expect(rotated.mode).toBe('test');
    await ask('get', '/v1/models/real', rotated.new_key).expect(403);
    await ask('delete', `/v1/api-keys/${id}`, live).expect(200);
  });

  it('can be created by operators, who can list their organizations', async () => {
    const { body } = await operate('post', `/organizations/${organizationId}/api-keys`)
      .send({ name: 'by operator', mode: 'test' })
      .expect(201);
    await ask('get', '/v1/models/real', body.key).expect(403);
    const twinsIn = async (query: string) =>
      (await operate('get', `/organizations${query}`).expect(200)).body.data.filter(
        (one: { test_of: string | null }) => one.test_of === organizationId,
      ).length;
    expect(await twinsIn('')).toBe(0);
    expect(await twinsIn('?test=true')).toBe(1);
    const { body: list } = await operate('get', '/organizations?test=true').expect(200);
    const twin = list.data.find((one: { test_of: string | null }) => one.test_of === organizationId);
    const inTwin = (mode: string) =>
      operate('post', `/organizations/${twin.id}/api-keys`).send({ name: 'x', mode });
    await inTwin('live').expect(403);
    expect((await inTwin('test').expect(201)).body.mode).toBe('test');
    const unknown = organizationId.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    await operate('post', `/organizations/${unknown}/api-keys`).send({ name: 'x', mode: 'test' }).expect(404);
  });
});
