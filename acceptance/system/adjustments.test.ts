import { auditLedger } from '@holdfast/db/audit/audit';
import { servicePort } from '@holdfast/local/launch/ports';
import { type ApiClient, apiClient } from '@holdfast/testkit/apiClient';
import type { Customer } from '@holdfast/testkit/testData';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Stack, startStack } from '../stack/stack.ts';

let stack: Stack;
let admin: ApiClient;
let customer: Customer;

beforeAll(async () => {
  const port = await servicePort();
  stack = await startStack({ ADMIN_PORT: String(port) });
  admin = apiClient(`http://127.0.0.1:${port}`, 'an-admin-token-for-tests');
  customer = await stack.newCustomer('1');
});
afterAll(async () => {
  expect(await auditLedger(stack.db)).toEqual([]);
  await stack.close();
});

const send = (what: string, body: object, key: string) =>
  admin.post(`/admin/v1/organizations/${customer.organizationId}/${what}`, body, { 'Idempotency-Key': key });

describe('an adjustment that an operator requests', () => {
  it('is written by the ledger with the rights of its own role', async () => {
    expect(await send('top-ups', { amount: '2' }, 'a')).toMatchObject({ status: 201 });
    const { status, body } = await send('corrections', { amount: '-0.5', reason: 'a mistake' }, 'b');
    expect([status, body['available_after']]).toEqual([201, '2.50']);
  });

  it('returns 503 while the ledger is unavailable, and is added once when it is repeated later', async () => {
    await stack.services.stop('ledger');
    expect((await send('top-ups', { amount: '4' }, 'c')).status).toBe(503);
    await stack.services.start('ledger');
    const repeats = await Promise.all([1, 2, 3].map(() => send('top-ups', { amount: '4' }, 'c')));
    for (const { status, body } of repeats) expect([status, body['available_after']]).toEqual([201, '6.50']);
    expect((await customer.api.get('/v1/balance')).body['available']).toBe('6.50');
  });

  it('may set spend limits with the rights of the gateway', async () => {
    const path = `/admin/v1/organizations/${customer.organizationId}/spend-limit`;
    const set = await admin.fetch(path, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ amount: '0' }),
    });
    expect(set.status).toBe(200);
    const created = await customer.api.post('/v1/executions', {
      model: 'sandbox-text',
      input: { prompt: 'x' },
    });
    expect([created.status, created.body['error']]).toMatchObject([402, { code: 'SPEND_LIMIT_REACHED' }]);
  });
});
