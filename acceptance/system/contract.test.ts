import { apiClient } from '@holdfast/testkit/apiClient';
import type { Customer } from '@holdfast/testkit/testData';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { create, eventsOf, readExecution, untilEvent, untilStatus } from '../stack/executions.ts';
import { type Stack, startStack } from '../stack/stack.ts';

let stack: Stack;
let customer: Customer;

beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());
beforeEach(async () => {
  customer = await stack.newCustomer('1');
});

const addEndpoint = (fields: object = {}) =>
  customer.api.post('/v1/webhooks/endpoints', { url: stack.receiver.url, ...fields });

describe('the rules of the contract, through every service', () => {
  it('2.3: a repeated idempotency key causes no duplicate processing and no duplicate charge', async () => {
    stack.providerCalls.length = 0;
    const send = () =>
      customer.api.post(
        '/v1/executions',
        { model: 'sandbox-text', input: { prompt: 'once' } },
        { 'idempotency-key': 'order-17' },
      );
    const responses = await Promise.all([send(), send(), send()]);
    const id = responses[0]?.body['id'] as string;
    await untilStatus(customer.api, id, 'COMPLETED');
    const late = await send();
    expect([...responses, late].map(({ status, body }) => [status, body['id']])).toEqual(
      Array.from({ length: 4 }, () => [202, id]),
    );
    expect(late.headers.get('idempotent-replayed')).toBe('true');
    expect(stack.providerCalls.filter((call) => call.startsWith('PUT'))).toHaveLength(1);
    expect((await customer.api.get('/v1/balance')).body).toMatchObject({ total: '0.99', held: '0.00' });
  });

  it('2.5: files are never passed as raw URLs', async () => {
    const { status, body } = await customer.api.post('/v1/executions', {
      model: 'image-transform',
      input: { source_image: 'https://example.com/image.png' },
    });
    expect([status, body]).toMatchObject([
      400,
      { error: { code: 'INPUT_VALIDATION_ERROR', details: [{ field: 'input.source_image' }] } },
    ]);
  });

  it('5.2: a create places a hold, which is added to held and taken from available', async () => {
    const id = await create(customer.api, 'sandbox-text', { prompt: 'x', delay_ms: 600_000 });
    expect((await readExecution(customer.api, id)).hold_amount).toBe('0.012');
    expect((await customer.api.get('/v1/balance')).body).toMatchObject({
      available: '0.988',
      held: '0.012',
      total: '1.00',
    });
    await customer.api.post(`/v1/executions/${id}/cancel`);
  });

  it('4.7: a terminal execution never changes again', async () => {
    const id = await create(customer.api, 'sandbox-text', { prompt: 'x' });
    const completed = await untilStatus(customer.api, id, 'COMPLETED');
    const { status } = await customer.api.post(`/v1/executions/${id}/cancel`);
    await stack.db.prisma.execution.update({ where: { id }, data: { expiresAt: new Date(0) } });
    const later = await create(customer.api, 'sandbox-text', { prompt: 'x', delay_ms: 600_000 });
    await stack.db.prisma.execution.update({ where: { id: later }, data: { expiresAt: new Date() } });
    await untilStatus(customer.api, later, 'EXPIRED');
    expect(status).toBe(409);
    const { status: kept, cost, result } = await readExecution(customer.api, id);
    expect({ status: kept, cost, result }).toEqual({
      status: 'COMPLETED',
      cost: completed.cost,
      result: completed.result,
    });
  });

  it('8.2: an endpoint receives the types it names, and no other', async () => {
    await addEndpoint({ events: ['execution.completed'] });
    const id = await create(customer.api, 'sandbox-text', { prompt: 'x' });
    await untilEvent(stack.receiver, id, 'execution.completed');
    await until('the events are fanned out', async () => {
      const left = await stack.db.prisma.event.count({ where: { executionId: id, fannedOutAt: null } });
      return left === 0;
    });
    expect(eventsOf(stack.receiver, id).map(({ type }) => type)).toEqual(['execution.completed']);
    const where = { organizationId: customer.organizationId };
    expect(await stack.db.prisma.delivery.count({ where })).toBe(1);
  });

  it('8.3: custom headers of the endpoint are added', async () => {
    await addEndpoint({ headers: { 'X-Shop': 'forty-two' } });
    const id = await create(customer.api, 'sandbox-text', { prompt: 'x' });
    const { request } = await untilEvent(stack.receiver, id, 'execution.completed');
    expect(request.headers['x-shop']).toBe('forty-two');
  });

  it('7.6: a test call reports the response of the endpoint', async () => {
    const { body } = await addEndpoint();
    const test = await customer.api.post(`/v1/webhooks/endpoints/${String(body['id'])}/test`);
    expect([test.status, test.body]).toEqual([
      200,
      { success: true, status_code: 200, response_time_ms: expect.any(Number) },
    ]);
  });

  it('7.7: an inactive endpoint receives nothing until it is activated', async () => {
    const { body } = await addEndpoint();
    const path = `/v1/webhooks/endpoints/${String(body['id'])}`;
    expect((await customer.api.patch(path, { is_active: false })).body['is_active']).toBe(false);
    const id = await create(customer.api, 'sandbox-text', { prompt: 'off' });
    await untilStatus(customer.api, id, 'COMPLETED');
    await until('the events are fanned out', async () => {
      const left = await stack.db.prisma.event.count({ where: { executionId: id, fannedOutAt: null } });
      return left === 0;
    });
    expect(eventsOf(stack.receiver, id)).toEqual([]);
    expect((await customer.api.patch(path, { is_active: true })).body['is_active']).toBe(true);
    const next = await create(customer.api, 'sandbox-text', { prompt: 'on' });
    await untilEvent(stack.receiver, next, 'execution.completed');
  });

  it('9.3: a rotated key and its old value both create executions during the grace period', async () => {
    const { data } = (await customer.api.get('/v1/api-keys')).body as { data: { id: string }[] };
    const { status, body } = await customer.api.post(`/v1/api-keys/${data[0]?.id}/rotate`);
    expect(status).toBe(200);
    const renewed = apiClient(stack.baseUrl, body['new_key'] as string);
    const ids = await Promise.all(
      [customer.api, renewed].map((api) => create(api, 'sandbox-text', { prompt: 'x' })),
    );
    for (const id of ids) await untilStatus(renewed, id, 'COMPLETED');
  });

  it('6.3: an upload of 150 MB is accepted, and one of a byte more is refused', async () => {
    const upload = (sizeBytes: number) =>
      customer.api.post('/v1/files/upload', {
        filename: 'film.mp4',
        content_type: 'video/mp4',
        size_bytes: sizeBytes,
      });
    expect((await upload(157_286_400)).status).toBe(201);
    expect((await upload(157_286_401)).body).toMatchObject({
      error: { code: 'INPUT_VALIDATION_ERROR', details: [{ field: 'size_bytes', code: 'OUT_OF_RANGE' }] },
    });
  });
});
