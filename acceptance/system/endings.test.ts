import { executionErrors } from '@holdfast/domain/errors';
import type { Customer } from '@holdfast/testkit/testData';
import { until } from '@holdfast/testkit/until';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { asInEvents, create, eventsOf, readExecution, untilEvent, untilStatus } from '../stack/executions.ts';
import { stackOfTests } from '../stack/stackOfTests.ts';

let customer: Customer;

const stack = await stackOfTests();

async function newCustomer(balance: string): Promise<Customer> {
  const made = await stack.newCustomer(balance);
  await made.api.post('/v1/webhooks/endpoints', { url: stack.receiver.url });
  return made;
}
const balance = async () => {
  const { available, held, total } = (await customer.api.get('/v1/balance')).body;
  return { available, held, total };
};
const full = { available: '1.00', held: '0.00', total: '1.00' };
const endingsReceived = (id: string) =>
  eventsOf(stack.receiver, id).filter(({ type }) => type !== 'execution.started');

beforeEach(async () => {
  customer = await newCustomer('1');
});

describe('a run that fails', () => {
  it.each(Object.keys(executionErrors) as (keyof typeof executionErrors)[])(
    'with %s ends as FAILED with that code, is not charged, releases its hold and emits its event',
    async (code) => {
      const id = await create(customer.api, 'sandbox-text', { prompt: 'x', fail: code });
      const { retryable } = executionErrors[code];
      const record = await untilStatus(customer.api, id, 'FAILED');
      const { error, cost } = record;
      const doc_url = expect.stringMatching(`/docs/errors/${code}$`);
      expect(error).toEqual({ code, message: expect.stringMatching(/\w/), retryable, doc_url });
      expect(cost).toBeNull();
      expect(await balance()).toEqual(full);
      const event = await untilEvent(stack.receiver, id, 'execution.failed');
      expect(event.data).toEqual(asInEvents(record));
      const result = await customer.api.get(`/v1/executions/${id}/result`);
      expect([result.status, result.body]).toMatchObject([
        409,
        { error: { code: 'EXECUTION_NOT_COMPLETED' } },
      ]);
    },
  );
});

describe('a run that succeeds', () => {
  it('emits events with the fields of its status record at its start and at its end', async () => {
    const id = await create(customer.api, 'sandbox-text', { prompt: 'x', delay_ms: 600_000, mode: 'sync' });
    const record = await untilStatus(customer.api, id, 'PROCESSING');
    const started = await untilEvent(stack.receiver, id, 'execution.started');
    expect(started.data).toEqual(asInEvents(record));
    await customer.api.post(`/v1/executions/${id}/cancel`);

    const other = await create(
      customer.api,
      'sandbox-text',
      { prompt: 'y' },
      { metadata: { order: 'A-17' } },
    );
    const completed = await untilStatus(customer.api, other, 'COMPLETED');
    expect(completed).toMatchObject({ result: {}, usage: {}, latency_ms: expect.any(Number) });
    const ending = await untilEvent(stack.receiver, other, 'execution.completed');
    expect(ending.data).toEqual(asInEvents(completed));
  });
});

const submitted = () =>
  until('the provider has the run', () => stack.providerCalls.some((call) => call.startsWith('PUT')));
/** Waits until the provider is asked to cancel the run that it received. */
const untilProviderCancelled = () =>
  until('the run is cancelled at the provider', () => {
    const put = stack.providerCalls.find((call) => call.startsWith('PUT'))?.slice('PUT '.length);
    return stack.providerCalls.includes(`POST ${put}/cancel`);
  });

describe('an execution that is cancelled', () => {
  const cancelled = async (id: string) => {
    const { status, body } = await customer.api.post(`/v1/executions/${id}/cancel`);
    expect([status, body]).toMatchObject([200, { id, status: 'CANCELLED', cost: null }]);
    expect(await balance()).toEqual(full);
    const event = await untilEvent(stack.receiver, id, 'execution.cancelled');
    expect(event.data).toEqual(asInEvents(await readExecution(customer.api, id)));
    expect(endingsReceived(id)).toHaveLength(1);
  };

  it.each([
    ['PROCESSING', 'sync'],
    ['AWAITING_WEBHOOK', 'callback'],
  ])(
    'while %s stops the run of the provider, releases the hold and emits its event',
    async (status, mode) => {
      stack.providerCalls.length = 0;
      const id = await create(customer.api, 'sandbox-text', { prompt: 'x', delay_ms: 600_000, mode });
      await untilStatus(customer.api, id, status);
      await submitted();
      await cancelled(id);
      await untilProviderCancelled();
    },
  );

  it('while PENDING never reaches the provider', async () => {
    await stack.services.stop('dispatcher');
    const id = await create(customer.api, 'sandbox-text', { prompt: 'cancelled' });
    await cancelled(id);
    stack.providerCalls.length = 0;
    await stack.services.start('dispatcher');
    const later = await create(customer.api, 'sandbox-text', { prompt: 'later' });
    await untilStatus(customer.api, later, 'COMPLETED');
    expect(await stack.db.prisma.attempt.count({ where: { executionId: id } })).toBe(0);
    expect(stack.providerCalls).toHaveLength(1);
  });
});

describe('an execution whose time runs out', () => {
  it.each([
    ['PROCESSING', 'sync'],
    ['AWAITING_WEBHOOK', 'callback'],
  ])(
    'while %s becomes EXPIRED, is not charged, emits its event and has its run stopped',
    async (status, mode) => {
      stack.providerCalls.length = 0;
      const id = await create(customer.api, 'sandbox-text', { prompt: 'x', delay_ms: 600_000, mode });
      await untilStatus(customer.api, id, status);
      await submitted();
      await stack.db.prisma.execution.update({ where: { id }, data: { expiresAt: new Date() } });
      const record = await untilStatus(customer.api, id, 'EXPIRED');
      const { error, cost } = record;
      expect([error, cost]).toMatchObject([{ code: 'GENERATION_TIMEOUT', retryable: true }, null]);
      expect(await balance()).toEqual(full);
      const event = await untilEvent(stack.receiver, id, 'execution.expired');
      expect(event.data).toEqual(asInEvents(record));
      expect(endingsReceived(id)).toHaveLength(1);
      await untilProviderCancelled();
      const cancel = await customer.api.post(`/v1/executions/${id}/cancel`);
      expect([cancel.status, cancel.body]).toMatchObject([
        409,
        { error: { code: 'EXECUTION_ALREADY_TERMINAL' } },
      ]);
    },
  );
});
