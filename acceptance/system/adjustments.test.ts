import { auditLedger } from '@holdfast/db/audit/audit';
import type { ModelFile } from '@holdfast/domain/modelDefinition';
import { servicePort } from '@holdfast/local/launch/ports';
import { startWireServer, type WireServer } from '@holdfast/providers/conformance/wireServer';
import { type ApiClient, apiClient } from '@holdfast/testkit/apiClient';
import type { Customer } from '@holdfast/testkit/testData';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { create, untilStatus } from '../stack/executions.ts';
import { type Stack, startStack } from '../stack/stack.ts';

/** A model at a server whose counter of tokens overflows. */
const miscounted: ModelFile = {
  slug: 'miscounted',
  provider: { adapter: 'openai', connection: 'miscounting', model: 'm' },
  input_schema: { type: 'object', properties: { prompt: { type: 'string', maxLength: 1000 } } },
  price: { per_output_token: '0.001' },
  estimate: { output_tokens: 100 },
  output: { kind: 'text' },
};
const response = {
  choices: [{ message: { content: 'Hello.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 2, completion_tokens: 4_294_967_295 },
};

let provider: WireServer;
let stack: Stack;
let admin: ApiClient;
let customer: Customer;

beforeAll(async () => {
  const port = await servicePort();
  provider = await startWireServer(() => ({ status: 200, json: response }));
  stack = await startStack({ ADMIN_PORT: String(port), MISCOUNTING_BASE_URL: provider.origin }, [miscounted]);
  admin = apiClient(`http://127.0.0.1:${port}`, 'an-admin-token-for-tests');
  customer = await stack.newCustomer('1');
});
afterAll(async () => {
  expect(await auditLedger(stack.db)).toEqual([]);
  await stack.close();
  await provider.close();
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

describe('a run whose provider reports an absurd number of tokens', () => {
  /** Completes a run for a hold of 0.12; its review is open. */
  async function reviewed(of: Customer): Promise<string> {
    const id = await create(of.api, 'miscounted', { prompt: 'a' });
    const record = await untilStatus(of.api, id, 'COMPLETED');
    expect(record).toMatchObject({ cost: '0.12', result: { text: 'Hello.' } });
    return id;
  }

  const decide = (id: string, action: string, body: object) =>
    admin.post(`/admin/v1/reviews/${id}/${action}`, body, {});
  const openOf = async ({ organizationId }: Customer) =>
    (await admin.get(`/admin/v1/reviews?state=open&organization_id=${organizationId}`)).body['data'];
  const availableOf = async (of: Customer) => (await of.api.get('/v1/balance')).body['available'];

  it('completes for its hold, and is charged what an operator accepts, once', async () => {
    const charged = await stack.newCustomer('10');
    const id = await reviewed(charged);
    expect(await openOf(charged)).toMatchObject([
      { execution_id: id, hold: '0.12', reported_cost: '4294967.295', state: 'open' },
    ]);
    const body = { amount: '1.5', reason: '1,620 tokens, as billed' };
    const decisions = await Promise.all(Array.from({ length: 10 }, () => decide(id, 'accept', body)));
    expect(decisions.map(({ status }) => status).filter((status) => status !== 409)).toEqual([200]);
    expect(await availableOf(charged)).toBe('8.38');
    expect(await openOf(charged)).toEqual([]);
  });

  it('is charged nothing more once it is written off', async () => {
    const spared = await stack.newCustomer('10');
    const id = await reviewed(spared);
    const { status, body } = await decide(id, 'write-off', { reason: 'the counter overflowed' });
    expect([status, body['state'], body['charged']]).toEqual([200, 'written_off', null]);
    expect((await decide(id, 'accept', { amount: '1', reason: 'after all' })).status).toBe(409);
    expect(await availableOf(spared)).toBe('9.88');
    expect(await openOf(spared)).toEqual([]);
  });
});
