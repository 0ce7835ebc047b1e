import { newId } from '@holdfast/domain/ids';
import { describe, expect, it } from '@jest/globals';
import { createAdminApp } from '../adminApp.ts';
import { clientOf, gatewayOfTests, organizationWithKey } from '../testing/testGateway.ts';

const gateway = await gatewayOfTests();
const admin = createAdminApp(gateway.context);

const get = (path: string) => clientOf(admin, gateway.context.config.ADMIN_TOKEN).get(`/admin/v1${path}`);

type Owner = Awaited<ReturnType<typeof organizationWithKey>>;

async function create({ key }: Owner, metadata: object, idempotencyKey = newId('req')): Promise<string> {
  const { body } = await gateway
    .client(key)
    .post('/v1/executions')
    .set('Idempotency-Key', idempotencyKey)
    .send({ model: 'writer', input: { prompt: '<b>hello</b>' }, metadata })
    .expect(202);
  return body.id;
}

async function search(query: Record<string, string>): Promise<string[]> {
  const { body } = await get(`/executions?${new URLSearchParams(query).toString()}`).expect(200);
  return body.data.map(({ id }: { id: string }) => id);
}

describe('the search for executions', () => {
  it('filters by metadata, idempotency key, id, provider and error, in one organization and in all', async () => {
    const [acme, other] = [
      await organizationWithKey(gateway, { balance: '10' }),
      await organizationWithKey(gateway, { balance: '10' }),
    ];
    const plain = await create(acme, { order: 'A-1' }, 'order-1');
    const tried = await create(acme, { order: 7 });
    const theirs = await create(other, { order: 'A-1' }, 'order-1');
    await gateway.context.db.prisma.attempt.create({
      data: {
        id: newId('att'),
        executionId: tried,
        number: 1,
        provider: 'gpus',
        state: 'running',
        token: newId('att'),
      },
    });
    await gateway.context.db.pool.query(
      `UPDATE executions SET status = 'FAILED', error_code = 'MODEL_OVERLOADED', completed_at = now() WHERE id = $1`,
      [theirs],
    );
    const organization = { organization_id: acme.organizationId };
    const order = { metadata_name: 'order', metadata_value: 'A-1' };
    expect(await search(order)).toEqual([theirs, plain]);
    expect(await search({ ...order, ...organization })).toEqual([plain]);
    expect(await search({ metadata_name: 'order', metadata_value: '7' })).toEqual([tried]);
    expect(await search({ idempotency_key: 'order-1' })).toEqual([theirs, plain]);
    expect(await search({ idempotency_key: 'order-1', ...organization })).toEqual([plain]);
    expect(await search({ idempotency_key: 'order-2' })).toEqual([]);
    expect(await search({ id_prefix: tried })).toEqual([tried]);
    expect(await search({ id_prefix: tried.slice(0, 10) })).toEqual([theirs, tried, plain]);
    expect(await search({ provider: 'gpus' })).toEqual([tried]);
    expect(await search({ error_code: 'MODEL_OVERLOADED' })).toEqual([theirs]);
    expect(await search({ status: 'FAILED' })).toEqual([theirs]);
    expect(await search({ status: 'FAILED,PENDING' })).toEqual([theirs, tried, plain]);
    expect(await search({ status: 'PENDING', ...organization })).toEqual([tried, plain]);
    expect(await search({ limit: '1', cursor: tried })).toEqual([plain]);
    expect(await search({ limit: '1', cursor: tried, ...organization })).toEqual([plain]);
    const before = new Date(Date.now() - 60_000).toISOString();
    expect(await search({ created_before: before })).toEqual([]);
    await get('/executions?metadata_name=order').expect(400);
    await get('/executions?id_prefix=%25').expect(400);
  });

  it('ends a page after 10,000 executions, and the pages together find everything', async () => {
    const owner = await organizationWithKey(gateway, { balance: '10' });
    const needle = await create(owner, { needle: 'yes' });
    // These ids are later than the needle's.
    await gateway.context.db.pool.query(
      `INSERT INTO executions (id, organization_id, model, status, input, hold_amount, estimated_cost, expires_at, cost, completed_at)
       SELECT 'exec_' || substr($2, 6, 14) || '7' || substr(u, 16), $1, 'writer', 'CANCELLED', '{}', 0.01, 0.01, now(), NULL, now()
       FROM (SELECT gen_random_uuid()::text AS u FROM generate_series(1, 10500)) g`,
      [
        owner.organizationId,
        `exec_${(Date.now() + 1000)
          .toString(16)
          .padStart(12, '0')
          .replace(/^(.{8})/, '$1-')}-`,
      ],
    );
    for (const scope of [{}, { organization_id: owner.organizationId }] as Record<string, string>[]) {
      const query = { ...scope, metadata_name: 'needle', metadata_value: 'yes' };
      const { body: first } = await get(`/executions?${new URLSearchParams(query).toString()}`).expect(200);
      expect(first).toMatchObject({ data: [], has_more: true, searched_until: expect.any(String) });
      const { body: second } = await get(
        `/executions?${new URLSearchParams({ ...query, cursor: first.next_cursor }).toString()}`,
      ).expect(200);
      expect(second).toMatchObject({
        data: [{ id: needle }],
        has_more: false,
        next_cursor: null,
        searched_until: null,
      });
    }
  });
});

describe('one execution', () => {
  it('is read with its input, transactions, events and deliveries', async () => {
    const owner = await organizationWithKey(gateway, { balance: '10' });
    const id = await create(owner, {});
    const client = gateway.client(owner.key);
    await client.post(`/v1/executions/${id}/cancel`).expect(200);
    const { body } = await get(`/executions/${id}`).expect(200);
    expect(body).toMatchObject({
      id,
      input: { prompt: '<b>hello</b>' },
      transactions: [
        { kind: 'hold', balance_after: '10.00' },
        { kind: 'release', available_after: '10.00', held_after: '0.00' },
      ],
      events: [{ type: 'execution.cancelled' }],
      deliveries: [],
      files: [],
    });
  });
});
