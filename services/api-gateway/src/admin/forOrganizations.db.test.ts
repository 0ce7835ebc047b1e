import { topUp } from '@holdfast/db/balances';
import { searchBatches } from '@holdfast/db/batches/search';
import { newId } from '@holdfast/domain/ids';
import { beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { createAdminApp } from '../adminApp.ts';
import { insertDelivery } from '../testing/insertDelivery.ts';
import { completedExecution, newExecution } from '../testing/newExecution.ts';
import { clientOf, gatewayOfTests, organizationWithKey } from '../testing/testGateway.ts';

const gateway = await gatewayOfTests();
const admin = createAdminApp(gateway.context);
let org: string;
let other: string;

beforeAll(async () => {
  [org, other] = [await gateway.newOrganization(), await gateway.newOrganization()];
  const { db } = gateway.context;
  for (const organizationId of [org, other])
    await topUp(db, { organizationId, amount: '50', reason: null, idempotencyKey: null });
});

const call = (method: 'get' | 'post' | 'delete', path: string) =>
  clientOf(admin, gateway.context.config.ADMIN_TOKEN)[method](`/admin/v1${path}`);
const idsOf = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id);

describe("any organization's executions", () => {
  it('are listed by organization, status, model and time, newest first and page by page', async () => {
    const { db } = gateway.context;
    const done = await completedExecution(db, { organizationId: org, cost: '0.1' });
    const theirs = await newExecution(db, other, 'reader');
    const pending = await newExecution(db, org);
    const all = await call('get', '/executions').expect(200);
    expect(idsOf(all)).toEqual([pending, theirs, done]);
    expect(all.body.data[1]).toMatchObject({ organization_id: other, status: 'PENDING', model: 'reader' });
    const idsFor = async (query: string) => idsOf(await call('get', `/executions?${query}`).expect(200));
    expect(await idsFor(`organization_id=${org}`)).toEqual([pending, done]);
    expect(await idsFor('status=COMPLETED')).toEqual([done]);
    expect(await idsFor('model=reader')).toEqual([theirs]);
    const soon = new Date(Date.now() + 60_000).toISOString();
    expect(await idsFor(`created_after=${soon}`)).toEqual([]);
    expect(await idsFor(`created_before=${soon}&model=reader`)).toEqual([theirs]);
    const first = await call('get', '/executions?limit=1').expect(200);
    expect(await idsFor(`limit=2&cursor=${first.body.next_cursor}`)).toEqual([theirs, done]);
    await call('get', `/executions?organization_id=${newId('org')}`).expect(404);
    await call('get', '/executions?organization_id=x').expect(400);
  });

  it('are cancelled; once they have ended, 409', async () => {
    const { db } = gateway.context;
    const id = await newExecution(db, org);
    const { body } = await call('post', `/executions/${id}/cancel`).expect(200);
    expect(body).toMatchObject({ id, status: 'CANCELLED' });
    await call('post', `/executions/${id}/cancel`).expect(200);
    const ended = await completedExecution(db, { organizationId: org, cost: '0.1' });
    await call('post', `/executions/${ended}/cancel`).expect(409);
    await call('post', `/executions/${newId('exec')}/cancel`).expect(404);
  });
});

it('batches of all organizations are listed, newest first, by id, organization and status', async () => {
  const ids: string[] = [];
  for (const organizationId of [org, other, org]) {
    const client = gateway.client(await gateway.newKey(organizationId));
    ids.unshift((await client.post('/v1/batches').send({ model: 'writer' }).expect(202)).body.id);
  }
  await call('post', `/organizations/${other}/batches/${ids[1]}/cancel`).expect(200);
  const { body } = await call('get', '/batches?limit=2').expect(200);
  expect(body.data).toMatchObject([
    { id: ids[0], organization_id: org },
    { id: ids[1], organization_id: other },
  ]);
  const idsFor = async (query: string) => idsOf(await call('get', `/batches?${query}`).expect(200));
  expect(await idsFor(`cursor=${body.next_cursor}`)).toEqual([ids[2]]);
  expect(await idsFor(`organization_id=${org}`)).toEqual([ids[0], ids[2]]);
  expect(await idsFor(`id=${ids[1]}`)).toEqual([ids[1]]);
  expect(await idsFor('status=finishing,cancelled')).toEqual([ids[1]]);
  expect(await idsFor('status=open,paused')).toEqual([ids[0], ids[2]]);
  const search = { statuses: ['cancelled' as const] };
  const { rows, reached } = await searchBatches(gateway.context.db, search, 5, 1);
  expect([rows, reached?.id]).toEqual([[], ids[0]]);
});

describe('an operator acting for an organization', () => {
  it("rotates and revokes its keys, but no other organization's", async () => {
    const { body: key } = await call('post', `/organizations/${org}/api-keys`).send({ name: 'a' });
    const at = (id: string) => `/organizations/${id}/api-keys/${key.id}`;
    await call('post', `${at(other)}/rotate`).expect(404);
    const { body: rotated } = await call('post', `${at(org)}/rotate`).expect(200);
    await gateway.client(rotated.new_key).get('/v1/balance').expect(200);
    await call('delete', at(other)).expect(404);
    await call('delete', at(org)).expect(200, { id: key.id, revoked: true });
  });

  it('reads its endpoints and deliveries, and resends them', async () => {
    const value = await gateway.newKey(org);
    const { body: endpoint } = await gateway
      .client(value)
      .post('/v1/webhooks/endpoints')
      .send({ url: 'https://example.com/hooks' })
      .expect(201);
    const executionId = newId('exec');
    const failed = { organizationId: org, endpointId: endpoint.id, state: 'failed', executionId } as const;
    const { id } = await insertDelivery(gateway.context.db, failed);
    const hooks = (organizationId: string) => `/organizations/${organizationId}/webhooks`;
    const { body: list } = await call('get', `${hooks(org)}/endpoints`).expect(200);
    expect(list.endpoints).toMatchObject([{ id: endpoint.id, is_active: true }]);
    expect(JSON.stringify(list)).not.toContain(endpoint.secret);
    await call('get', `${hooks(org)}/endpoints/${endpoint.id}`).expect(200);
    await call('get', `${hooks(other)}/endpoints/${endpoint.id}`).expect(404);
    const { body: page } = await call('get', `${hooks(org)}/endpoints/${endpoint.id}/deliveries`).expect(200);
    expect(page.deliveries).toMatchObject([{ id, status: 'failed', attempts: [] }]);
    await call('get', `${hooks(org)}/deliveries/${id}`).expect(200);
    const recover = `${hooks(org)}/endpoints/${endpoint.id}/recover`;
    const { body: recovered } = await call('post', recover).send({ since: '2026-01-01T00:00:00Z' });
    expect(recovered).toEqual({ redelivered: 1, has_more: false });
    await call('post', `${hooks(other)}/deliveries/${id}/redeliver`).expect(404);
    const { body: again } = await call('post', `${hooks(org)}/deliveries/${id}/redeliver`).expect(202);
    expect(again).toMatchObject({ id, status: 'pending' });
    await call('get', `${hooks(newId('org'))}/endpoints`).expect(404);
  });

  it('needs the admin token', async () => {
    const { status } = await request(admin).get(`/admin/v1/organizations/${org}/webhooks/endpoints`);
    expect(status).toBe(401);
  });
});

describe("an organization's overage policies", () => {
  const patch = (id: string, body: object) =>
    clientOf(admin, gateway.context.config.ADMIN_TOKEN).patch(`/admin/v1/organizations/${id}`).send(body);
  const platform = { overage: 'charge', spend_limit_overage: 'cap' };

  it("are the platform's until they are set, and after they are set to null", async () => {
    const id = await gateway.newOrganization();
    const { body } = await call('get', `/organizations/${id}`).expect(200);
    expect(body).toMatchObject({ overage: null, spend_limit_overage: null, in_force: platform });
    const set = await patch(id, { overage: 'cap', spend_limit_overage: 'charge' }).expect(200);
    const own = { overage: 'cap', spend_limit_overage: 'charge' };
    expect(set.body).toMatchObject({ ...own, in_force: own });
    const renamed = await patch(id, { name: 'Another' }).expect(200);
    expect(renamed.body).toMatchObject({ name: 'Another', ...own });
    const reset = await patch(id, { overage: null }).expect(200);
    expect(reset.body).toMatchObject({
      overage: null,
      in_force: { overage: 'charge', spend_limit_overage: 'charge' },
    });
    await patch(id, { overage: 'sometimes' }).expect(400);
  });

  it('write off what they cap, visible to operators but not to clients', async () => {
    const { db } = gateway.context;
    const { organizationId: id, key } = await organizationWithKey(gateway, { balance: '1' });
    await patch(id, { overage: 'cap' }).expect(200);
    const done = await completedExecution(db, { organizationId: id, cost: '5' });
    const asClient = (path: string) => gateway.client(key).get(`/v1${path}`).expect(200);

    const { body: shown } = await call('get', `/executions/${done}`).expect(200);
    expect(shown).toMatchObject({ cost: '1.00', written_off: '4.00', attempts: [{ cost: '5.00' }] });
    const { body: own } = await asClient(`/executions/${done}`);
    expect(own.cost).toBe('1.00');
    expect(JSON.stringify(own)).not.toContain('written');

    const kinds = ({ body }: { body: { data: { kind: string }[] } }) => body.data.map(({ kind }) => kind);
    const journal = await call('get', `/organizations/${id}/balance/transactions`).expect(200);
    expect(kinds(journal)).toEqual(['write_off', 'settle', 'overage', 'hold', 'top_up']);
    expect(journal.body.data[0]).toMatchObject({
      amount: '4.00',
      available_change: '0.00',
      held_change: '0.00',
      execution_id: done,
      reason: 'balance',
    });
    const writeOffs = await call('get', `/organizations/${id}/balance/transactions?kind=write_off`);
    expect(kinds(writeOffs)).toEqual(['write_off']);
    expect(kinds(await asClient('/balance/transactions'))).toEqual(['settle', 'overage', 'hold', 'top_up']);
    await gateway.client(key).get('/v1/balance/transactions?kind=write_off').expect(400);

    const usage = await call('get', `/organizations/${id}/usage`).expect(200);
    expect(usage.body.total).toMatchObject({ executions: 1, cost: '1.00', written_off: '4.00' });
    expect((await asClient('/usage')).body.total).not.toHaveProperty('written_off');
    const csv = await call('get', `/organizations/${id}/usage`).set('accept', 'text/csv').expect(200);
    expect(csv.text.split('\r\n')[0]).toContain('cost,written_off');
  });
});
