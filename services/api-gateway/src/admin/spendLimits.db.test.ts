import { topUp } from '@holdfast/db/balances';
import { newId } from '@holdfast/domain/ids';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createAdminApp } from '../adminApp.ts';
import { clientOf, gatewayOfTests } from '../testing/testGateway.ts';

const gateway = await gatewayOfTests();
const admin = createAdminApp(gateway.context);
let id: string;
let key: { id: string; key: string };

beforeEach(async () => {
  id = await gateway.newOrganization();
  await topUp(gateway.context.db, { organizationId: id, amount: '5', reason: null, idempotencyKey: null });
  key = (await call('post', `/organizations/${id}/api-keys`, { name: 'a' }).expect(201)).body;
});

function call(method: 'get' | 'put' | 'post' | 'delete', path: string, body?: object) {
  const url = `/admin/v1${path}`;
  const pending = clientOf(admin, gateway.context.config.ADMIN_TOKEN)[method](url);
  return body ? pending.send(body) : pending;
}
const asClient = (method: 'get' | 'post', path: string) => gateway.client(key.key)[method](`/v1${path}`);
const create = () => asClient('post', '/executions').send({ model: 'writer', input: { prompt: 'a' } });

const month = expect.stringMatching(/^\d{4}-\d\d$/);
const ofOrganization = () => `/organizations/${id}/spend-limit`;
const ofKey = () => `/organizations/${id}/api-keys/${key.id}/spend-limit`;

describe('the spend limit of an organization', () => {
  it('refuses the create that would exceed it, and shows the amount spent', async () => {
    const { body: first } = await create().expect(202);
    const spent = first.hold_amount;
    const { body } = await call('put', ofOrganization(), { amount: spent }).expect(200);
    const spend_limit = { amount: spent, month, spent, remaining: '0.00' };
    expect(body).toEqual({ organization_id: id, api_key_id: null, spend_limit });
    expect((await call('get', `/organizations/${id}`)).body.spend_limit).toEqual(spend_limit);
    expect((await call('get', '/organizations?limit=1')).body.data[0].spend_limit).toEqual(spend_limit);
    expect((await asClient('get', '/balance')).body.spend_limit).toEqual(spend_limit);
    const refused = await create().expect(402);
    expect(refused.body.error).toMatchObject({ code: 'SPEND_LIMIT_REACHED', retryable: false });
    expect((await asClient('get', '/balance')).body.held).toBe(spent);
  });

  it('is removed by DELETE, which can be repeated', async () => {
    await call('put', ofOrganization(), { amount: '0' }).expect(200);
    await create().expect(402);
    for (const _again of [1, 2]) {
      const { body } = await call('delete', ofOrganization()).expect(200);
      expect(body.spend_limit).toBeNull();
    }
    await create().expect(202);
    expect((await asClient('get', '/balance')).body.spend_limit).toBeNull();
  });

  it.each(['-1', '1.123456789', '1000000001', 5, null])('of %j is refused', async (amount) => {
    const { body } = await call('put', ofOrganization(), { amount }).expect(400);
    expect(body.error.details[0].field).toBe('amount');
  });
});

describe('the spend limit of a key', () => {
  const shown = async (path: string) => {
    const { body } =
      path === 'client'
        ? await asClient('get', '/api-keys')
        : await call('get', `/organizations/${id}/api-keys`);
    return body.data.map((one: { spend_limit: unknown }) => one.spend_limit);
  };

  it('applies to that key only and is part of its record', async () => {
    await call('put', ofKey(), { amount: '0' }).expect(200);
    await create().expect(402);
    const spend_limit = { amount: '0.00', month, spent: '0.00', remaining: '0.00' };
    expect(await shown('client')).toEqual([spend_limit]);
    key = (await call('post', `/organizations/${id}/api-keys`, { name: 'b' }).expect(201)).body;
    await create().expect(202);
    expect(await shown('admin')).toEqual([null, spend_limit]);
  });

  it('is kept when the key is rotated', async () => {
    await call('put', ofKey(), { amount: '0' }).expect(200);
    const { body } = await asClient('post', `/api-keys/${key.id}/rotate`).expect(200);
    key = { id: key.id, key: body.new_key };
    await create().expect(402);
    await call('delete', ofKey()).expect(200);
    await create().expect(202);
  });
});

describe('spend limits', () => {
  it('of an unknown organization or key, or of another organization’s key, are 404', async () => {
    const other = await gateway.newOrganization();
    for (const path of [
      `/organizations/${newId('org')}/spend-limit`,
      '/organizations/org_x/spend-limit',
      `/organizations/${other}/api-keys/${key.id}/spend-limit`,
      `/organizations/${id}/api-keys/${newId('key')}/spend-limit`,
    ]) {
      await call('put', path, { amount: '1' }).expect(404);
      await call('delete', path).expect(404);
    }
  });

  it('can only be changed by operators', async () => {
    await gateway.client(key.key).put(`/admin/v1${ofOrganization()}`).send({ amount: '1' }).expect(404);
    await clientOf(admin, key.key).put(`/admin/v1${ofOrganization()}`).send({ amount: '1' }).expect(401);
  });
});
