import { beforeEach, describe, expect, it } from '@jest/globals';
import { createAdminApp } from '../adminApp.ts';
import { gatewayWithAdjuster } from '../testing/adjuster.ts';
import { completedExecution } from '../testing/newExecution.ts';
import { clientOf, organizationWithKey } from '../testing/testGateway.ts';

const gateway = await gatewayWithAdjuster({
  ADMIN_TOKEN: `ada:${'a'.repeat(24)},vic:${'v'.repeat(24)}`,
  ADMIN_ROLES: 'vic:viewer',
});
const admin = createAdminApp(gateway.context);
let organizationId: string;
let key: string;
let id: string;

/** A run held at 0.60 that reported 100, with 50 available. */
beforeEach(async () => {
  ({ organizationId, key } = await organizationWithKey(gateway, { balance: '50.60' }));
  id = await completedExecution(gateway.context.db, { organizationId, cost: '100.00000000' });
});

const as = (name: 'ada' | 'vic') => clientOf(admin, (name === 'ada' ? 'a' : 'v').repeat(24));

function decide(action: 'accept' | 'write-off', body: object, idempotencyKey?: string) {
  const pending = as('ada').post(`/admin/v1/reviews/${id}/${action}`);
  return (idempotencyKey === undefined ? pending : pending.set('Idempotency-Key', idempotencyKey)).send(body);
}

const reviews = async (query = `state=open&organization_id=${organizationId}`) =>
  (await as('vic').get(`/admin/v1/reviews?${query}`).expect(200)).body;

const open = () => ({
  execution_id: id,
  organization_id: organizationId,
  model: 'writer',
  hold: '0.60',
  reported_cost: '100.00',
  state: 'open',
  created_at: expect.any(String),
  decided_at: null,
  decided_by: null,
  reason: null,
  charged: null,
});

const decided = { decided_at: expect.any(String), decided_by: 'ada' };

describe('reviews', () => {
  it('are listed while they are open, and shown with their executions', async () => {
    expect(await reviews()).toEqual({ data: [open()], has_more: false, next_cursor: null });
    const { body } = await as('vic').get(`/admin/v1/executions/${id}`).expect(200);
    expect(body).toMatchObject({ status: 'COMPLETED', cost: '0.60', review: open() });
    const other = await completedExecution(gateway.context.db, { organizationId, cost: '7.00000000' });
    const page = await reviews(`organization_id=${organizationId}&limit=1`);
    expect(page).toMatchObject({ data: [{ execution_id: other }], has_more: true, next_cursor: other });
    const next = await reviews(`organization_id=${organizationId}&limit=1&cursor=${other}`);
    expect(next).toMatchObject({ data: [{ execution_id: id }], has_more: false });
    expect(await reviews(`organization_id=${organizationId}&state=accepted`)).toMatchObject({ data: [] });
  });

  it('are accepted for an amount, which the client sees as a correction with the execution', async () => {
    const { body } = await decide('accept', { amount: '12.5', reason: 'as agreed' }).expect(200);
    const accepted = { ...decided, state: 'accepted', charged: '12.50', reason: 'as agreed' };
    expect(body).toEqual({ ...open(), ...accepted });
    const { data } = (await gateway.client(key).get('/v1/balance/transactions').expect(200)).body;
    expect(data[0]).toMatchObject({ kind: 'correction', reason: `${id}: as agreed`, balance_after: '37.50' });
    expect(await reviews()).toMatchObject({ data: [] });
  });

  it('are written off, and nothing is charged', async () => {
    const { body } = await decide('write-off', { reason: 'an overflow' }).expect(200);
    expect(body).toEqual({ ...open(), ...decided, state: 'written_off', reason: 'an overflow' });
    const { data } = (await gateway.client(key).get('/v1/balance/transactions').expect(200)).body;
    expect(data.map(({ kind }: { kind: string }) => kind)).toEqual(['settle', 'hold', 'top_up']);
  });

  it('are decided once: a second decision is 409 and says which the first was', async () => {
    const all = await Promise.all(
      Array.from({ length: 8 }, () => decide('accept', { amount: '5', reason: 'as agreed' })),
    );
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(all.filter(({ status }) => status === 409)).toHaveLength(7);
    const { body } = await decide('write-off', { reason: 'no' }).expect(409);
    expect(body.error).toMatchObject({
      code: 'REVIEW_ALREADY_DECIDED',
      message: expect.stringMatching(/^This review was already accepted for 5\.00 by ada at 20.*Z\.$/),
    });
  });

  it('return the first decision to a repeat with the same key, and refuse another under it', async () => {
    const body = { amount: '5', reason: 'as agreed' };
    const all = await Promise.all(Array.from({ length: 5 }, () => decide('accept', body, 'k').expect(200)));
    expect(new Set(all.map((one) => JSON.stringify(one.body))).size).toBe(1);
    expect(all.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(4);
    for (const other of [{ ...body, amount: '6' }, { ...body, reason: 'else' }, { reason: 'as agreed' }]) {
      expect((await decide('accept', other, 'k').expect(422)).body.error.code).toBe('IDEMPOTENCY_KEY_REUSED');
    }
    await decide('write-off', { reason: 'as agreed' }, 'k').expect(422);
    await as('ada')
      .post(`/admin/v1/organizations/${organizationId}/corrections`)
      .set('Idempotency-Key', 'k')
      .send({ amount: '-5', reason: 'another' })
      .expect(422);
  });

  it('stay open when the balance does not cover the amount, or a key was used for another change', async () => {
    const { body } = await decide('accept', { reason: 'all of it' }).expect(402);
    expect(body.error.message).toBe('The available balance of 50.00 does not cover the amount.');
    const over = await decide('accept', { amount: '99.41', reason: 'more' }).expect(400);
    expect(over.body.error.details[0]).toMatchObject({ field: 'amount', code: 'OUT_OF_RANGE' });
    await as('ada')
      .post(`/admin/v1/organizations/${organizationId}/top-ups`)
      .set('Idempotency-Key', 't')
      .send({ amount: '49.4' })
      .expect(201);
    await decide('accept', { reason: 'all of it' }, 't').expect(422);
    expect((await reviews()).data).toHaveLength(1);
    expect((await decide('accept', { reason: 'all of it' }).expect(200)).body.charged).toBe('99.40');
  });

  it('are decided by admins, and each decision is in the log of actions', async () => {
    const path = `/admin/v1/reviews/${id}/write-off`;
    await as('vic').post(path).send({ reason: 'no' }).expect(403);
    await as('ada').post(path).send({ reason: ' ' }).expect(400);
    await decide('write-off', { reason: 'an overflow' }).expect(200);
    const { body } = await as('vic').get('/admin/v1/actions?action=reviews').expect(200);
    const ours = body.data.filter(({ target }: { target: string }) => target === id);
    expect(ours.map(({ actor, status, action }: Record<string, unknown>) => [actor, status, action])).toEqual(
      [
        ['ada', 200, 'POST /admin/v1/reviews/{id}/write-off'],
        ['ada', 400, 'POST /admin/v1/reviews/{id}/write-off'],
        ['vic', 403, 'POST /admin/v1/reviews/{id}/write-off'],
      ],
    );
    expect(ours[0].details).toEqual({ reason: 'an overflow' });
  });

  it('of executions that have none are 404', async () => {
    const plain = await completedExecution(gateway.context.db, { organizationId, cost: '0.50000000' });
    for (const other of [plain, 'exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d', 'nonsense']) {
      const { body } = await as('ada')
        .post(`/admin/v1/reviews/${other}/accept`)
        .send({ reason: 'a' })
        .expect(404);
      expect(body.error.message).toBe('There is no such review.');
    }
    expect((await as('vic').get(`/admin/v1/executions/${plain}`).expect(200)).body.review).toBeNull();
  });
});
