import { auditLedger } from '@holdfast/db/audit/audit';
import { apiClient } from '@holdfast/testkit/apiClient';
import { until } from '@holdfast/testkit/until';
import { describe, expect, it } from '@jest/globals';
import { stackOfTests } from '../stack/stackOfTests.ts';

const stack = await stackOfTests();
const customer = await stack.newCustomer('1');

describe('a test key', () => {
  it('runs in the sandbox with a test balance in the ledger, while each service has its own role', async () => {
    const { body: made } = await customer.api.post('/v1/api-keys', { name: 'test', mode: 'test' });
    const tester = apiClient(stack.baseUrl, String(made['key']));
    const created = await tester.post('/v1/executions', { model: 'sandbox-text', input: { prompt: 'a' } });
    expect([created.status, created.body['error']]).toEqual([202, undefined]);
    const path = `/v1/executions/${String(created.body['id'])}`;
    await until('it ends', async () => (await tester.get(path)).body['status'] === 'COMPLETED', 20_000);
    expect((await customer.api.get(path)).status).toBe(404);
    expect((await customer.api.get('/v1/balance')).body).toMatchObject({ available: '1.00', held: '0.00' });
    expect(await auditLedger(stack.db)).toEqual([]);
  });
});
