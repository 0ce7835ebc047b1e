import { newId } from '@holdfast/domain/ids';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createAdminApp } from '../adminApp.ts';
import { gatewayWithAdjuster } from '../testing/adjuster.ts';
import { clientOf, openTestGateway } from '../testing/testGateway.ts';

const gateway = await gatewayWithAdjuster();
const admin = createAdminApp(gateway.context);
let id: string;

beforeEach(async () => {
  id = await gateway.newOrganization();
});

function post(path: string, body: object, key?: string) {
  const pending = clientOf(admin, gateway.context.config.ADMIN_TOKEN).post(
    `/admin/v1/organizations/${id}/${path}`,
  );
  return (key === undefined ? pending : pending.set('Idempotency-Key', key)).send(body);
}

async function journal(): Promise<string[]> {
  const { rows } = await gateway.context.db.pool.query<{ row: string }>(
    `SELECT concat_ws(' ', kind, debit_account, credit_account, amount, available_after, reason) AS row
     FROM transfers WHERE organization_id = $1 ORDER BY sequence`,
    [id],
  );
  return rows.map(({ row }) => row);
}

describe('top-ups', () => {
  it('are exact, journalled, and added once per idempotency key', async () => {
    const send = () => post('top-ups', { amount: '10.12345678', reason: 'invoice 7' }, 'i7');
    const responses = await Promise.all(Array.from({ length: 10 }, send));
    const marked = responses.filter(({ headers }) => headers['idempotent-replayed'] === 'true');
    expect(marked).toHaveLength(9);
    for (const { status, body } of responses) {
      expect(status).toBe(201);
      expect(body).toEqual({
        organization_id: id,
        amount: '10.12345678',
        reason: 'invoice 7',
        available_after: '10.12345678',
        created_at: expect.any(String),
        balance: { available: '10.12345678', held: '0.00', total: '10.12345678', currency: 'USD' },
      });
    }
    expect(await journal()).toEqual(['top_up funding available 10.12345678 10.12345678 invoice 7']);
    const replays = await Promise.all([send(), send()]);
    expect(replays.map(({ headers }) => headers['idempotent-replayed'])).toEqual(['true', 'true']);
    const { headers } = await post('top-ups', { amount: '1' }, 'i8').expect(201);
    expect(headers).not.toHaveProperty('idempotent-replayed');
    await post('top-ups', { amount: '11' }, 'i7').expect(422);
    await post('top-ups', { amount: '1', reason: '  ' }).expect(400);
    await post('top-ups', { amount: '1' }).expect(201);
    const { body } = await post('top-ups', { amount: '1' }).expect(201);
    expect(body.balance.available).toBe('13.12345678');
  });

  it.each([
    '0',
    '-1',
    '1e3',
    '1.123456789',
    '',
    'ten',
    '1000000001',
    '1000000000.00000001',
    5,
    null,
    '0x10',
    ' 1',
  ])('of %j are refused', async (amount) => {
    const { body } = await post('top-ups', { amount }).expect(400);
    expect(body.error.details[0].field).toBe('amount');
  });
});

describe('corrections', () => {
  it('increase or reduce the balance once per idempotency key, with a reason', async () => {
    await post('top-ups', { amount: '5' }).expect(201);
    await post('corrections', { amount: '1.5', reason: 'credit' }).expect(201);
    const taken = await Promise.all(
      Array.from({ length: 5 }, () => post('corrections', { amount: '-3.50', reason: 'twice billed' }, 'c')),
    );
    for (const { status, body } of taken) {
      expect([status, body.amount, body.available_after]).toEqual([201, '-3.50', '3.00']);
      expect(body.balance).toMatchObject({ available: '3.00', total: '3.00' });
    }
    expect((await journal()).slice(1)).toEqual([
      'correction funding available 1.50000000 6.50000000 credit',
      'correction available funding 3.50000000 3.00000000 twice billed',
    ]);
  });

  it('never exceed the available balance: 402, nothing is written and the key stays unused', async () => {
    await post('top-ups', { amount: '3' }).expect(201);
    const { body } = await post('corrections', { amount: '-3.00000001', reason: 'a' }, 'k').expect(402);
    expect(body.error).toMatchObject({ code: 'INSUFFICIENT_BALANCE', retryable: false });
    expect(await journal()).toHaveLength(1);
    await post('corrections', { amount: '-3', reason: 'a' }, 'k').expect(201);
  });

  it('conflict with another amount, kind or reason under the same key', async () => {
    await post('top-ups', { amount: '3', reason: 'a' }, 'k').expect(201);
    for (const [path, body] of [
      ['corrections', { amount: '3', reason: 'a' }],
      ['corrections', { amount: '-3', reason: 'a' }],
      ['top-ups', { amount: '3.1', reason: 'a' }],
      ['top-ups', { amount: '3', reason: 'b' }],
      ['top-ups', { amount: '3' }],
    ] as const) {
      const response = await post(path, body, 'k').expect(422);
      expect(response.body.error.code).toBe('IDEMPOTENCY_KEY_REUSED');
    }
    expect(await journal()).toHaveLength(1);
  });

  it.each([
    { amount: '0', reason: 'a' },
    { amount: '-0.00', reason: 'a' },
    { amount: '+1', reason: 'a' },
    { amount: '--1', reason: 'a' },
    { amount: '-1000000001', reason: 'a' },
    { amount: '1' },
    { amount: '1', reason: ' ' },
    { amount: '1', reason: 'x'.repeat(501) },
  ])('as %j are refused', async (body) => {
    await post('corrections', body).expect(400);
  });

  it('for an unknown organization are 404', async () => {
    for (id of [newId('org'), 'org_x']) await post('corrections', { amount: '1', reason: 'a' }).expect(404);
  });
});

describe('a top-up without a ledger', () => {
  it('is 503 with the key to retry it, and is dropped once it is too late', async () => {
    await gateway.stopLedger();
    const { body } = await post('top-ups', { amount: '2' }).expect(503);
    expect(body.error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryable: true });
    const [, key = ''] = /Idempotency-Key: (req_[\w-]+)/.exec(body.error.message) ?? [];
    gateway.startLedger();
    // Taken after the job of the first request, of which nothing is seen.
    await post('top-ups', { amount: '7' }).expect(201);
    expect(await journal()).toEqual(['top_up funding available 7.00000000 7.00000000']);
    await post('top-ups', { amount: '2' }, key).expect(201);
    await post('top-ups', { amount: '2' }, key).expect(201);
    expect(await journal()).toHaveLength(2);
  }, 30_000);

  it('is also 503 when Redis is unavailable', async () => {
    const other = await openTestGateway({ ...gateway.servers, redisUrl: 'redis://127.0.0.1:1' });
    const client = clientOf(createAdminApp(other.context), other.context.config.ADMIN_TOKEN);
    await client.post(`/admin/v1/organizations/${id}/top-ups`).send({ amount: '2' }).expect(503);
    await other.close();
  });
});
