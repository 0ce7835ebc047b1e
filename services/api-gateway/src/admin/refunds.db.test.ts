import { beforeEach, describe, expect, it } from '@jest/globals';
import { createAdminApp } from '../adminApp.ts';
import { gatewayWithAdjuster } from '../testing/adjuster.ts';
import { completedExecution, newExecution } from '../testing/newExecution.ts';
import { clientOf, organizationWithKey } from '../testing/testGateway.ts';

const gateway = await gatewayWithAdjuster({ ADMIN_TOKEN: `ada:${'a'.repeat(24)}` });
const admin = clientOf(createAdminApp(gateway.context), 'a'.repeat(24));
let key: string;
let id: string;

/** A run that cost 0.40, of an organization with 10. */
beforeEach(async () => {
  const { organizationId, key: value } = await organizationWithKey(gateway, { balance: '10' });
  key = value;
  id = await completedExecution(gateway.context.db, { organizationId, cost: '0.40000000' });
});

function refund(body: object, idempotencyKey?: string) {
  const pending = admin.post(`/admin/v1/executions/${id}/refund`);
  return (idempotencyKey === undefined ? pending : pending.set('Idempotency-Key', idempotencyKey)).send(body);
}

const refundable = async () =>
  (await admin.get(`/admin/v1/executions/${id}`).expect(200)).body.refundable as string;

describe('refunds', () => {
  it('return the charge by a correction that the journal links to the execution', async () => {
    expect(await refundable()).toBe('0.40');
    const { body } = await refund({ reason: 'blurred' }).expect(201);
    expect(body).toMatchObject({ execution_id: id, amount: '0.40', balance: { available: '10.00' } });
    expect(await refundable()).toBe('0.00');
    const query = `/v1/balance/transactions?execution_id=${id}`;
    const { data } = (await gateway.client(key).get(query).expect(200)).body;
    const refunded = { kind: 'correction', amount: '0.40', reason: 'blurred', execution_id: id };
    expect(data).toMatchObject([refunded, {}, { kind: 'settle' }, { kind: 'hold' }]);
  });

  it('never return more than the charge, also when they come together', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => refund({ amount: '0.15' })));
    expect(all.filter(({ status }) => status === 201)).toHaveLength(2);
    expect(all.filter(({ status }) => status === 400)).toHaveLength(6);
    const { body } = await refund({ amount: '0.11' }).expect(400);
    expect(body.error.details[0]).toMatchObject({
      field: 'amount',
      code: 'OUT_OF_RANGE',
      message: 'amount must be at most 0.10, which is left of what the execution was charged.',
    });
    await refund({}).expect(201);
    await refund({}).expect(400);
  });

  it('are made once per idempotency key', async () => {
    await refund({ amount: '0.1' }, 'r-1').expect(201);
    const { headers } = await refund({ amount: '0.1' }, 'r-1').expect(201);
    expect(headers['idempotent-replayed']).toBe('true');
    await refund({ amount: '0.2' }, 'r-1').expect(422);
    expect(await refundable()).toBe('0.30');
  });

  it('are refused for what was charged nothing, and for what is not there', async () => {
    const { organizationId } = await organizationWithKey(gateway, { balance: '1' });
    id = await newExecution(gateway.context.db, organizationId);
    await refund({}).expect(400);
    id = 'exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d';
    await refund({}).expect(404);
  });
});
