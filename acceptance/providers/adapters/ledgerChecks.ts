import { auditLedger } from '@holdfast/db/audit/audit';
import { createLogger } from '@holdfast/kit/logger';
import { connectProducer, type Redis } from '@holdfast/queues/connection';
import { closing } from '@holdfast/testkit/closing';
import type { Customer } from '@holdfast/testkit/testData';
import { until } from '@holdfast/testkit/until';
import { expect } from '@jest/globals';
import { type ExecutionBody, eventsOf, readExecution } from '../../stack/executions.ts';
import type { Stack } from '../../stack/stack.ts';

/** What the customer has; each began with 100. */
export async function balanceOf({ api }: Customer): Promise<Record<string, unknown>> {
  const { available, held } = (await api.get('/v1/balance')).body;
  return { available, held };
}

const spent = (cost: string | null) => (100 - Number(cost ?? 0)).toFixed(2);

/**
 * Checks a customer's only execution, which has ended: it ended once, was charged once (a failed one not at all), the
 * ledger balances, and nothing that the customer can see names a provider.
 */
export async function expectEndedOnce(stack: Stack, customer: Customer, id: string): Promise<ExecutionBody> {
  const record = await readExecution(customer.api, id);
  expect(await balanceOf(customer)).toEqual({ available: spent(record.cost), held: '0.00' });
  const started = eventsOf(stack.receiver, id).filter(({ type }) => type === 'execution.started');
  expect(new Set(started.map((event) => event.id)).size).toBeLessThanOrEqual(1);
  const endings = () => eventsOf(stack.receiver, id).filter(({ type }) => type !== 'execution.started');
  await until('its end was reported', () => endings().length > 0);
  expect(new Set(endings().map((event) => event.id)).size).toBe(1);
  expect(endings()[0]?.type).toBe(`execution.${record.status.toLowerCase()}`);
  expect(await auditLedger(stack.db)).toEqual([]);
  await expectNoProvider(stack, customer, id);
  return record;
}

export const providerNames = /replicate|\bfal\b|\bcog\b|openai|acme|sandbox|r8_|predictions|127\.0\.0\.1/i;

/** No response, header or event about an execution names a provider. */
export async function expectNoProvider(stack: Stack, customer: Customer, id: string): Promise<void> {
  const paths = [`/v1/executions/${id}`, `/v1/executions/${id}/result`, '/v1/executions'];
  for (const path of paths) {
    const { headers, body } = await customer.api.get(path);
    const shown = JSON.stringify([...headers, body]).replaceAll(stack.baseUrl, 'our own URL');
    expect(shown).not.toMatch(providerNames);
  }
  for (const { request } of eventsOf(stack.receiver, id)) expect(request.body).not.toMatch(providerNames);
}

/** A customer whose final events go only to the receiver. */
export async function newCustomer(stack: Stack): Promise<Customer> {
  const customer = await stack.newCustomer('100');
  await customer.api.post('/v1/webhooks/endpoints', { url: stack.receiver.url });
  return customer;
}

/** The Redis of the limits, for all tests of a file. After the last of them, no run is counted against a limit. */
export function limitsOf({ redisUrl }: Stack): Redis {
  const redis = connectProducer(redisUrl, createLogger('test', 'silent'));
  const taken = async () => {
    const keys = await redis.keys('{holdfast-limits}:runs:*');
    const counts = await Promise.all(keys.map((key) => redis.zcard(key)));
    return counts.some((count) => count > 0);
  };
  closing({
    async close() {
      await until('every place is free', async () => !(await taken()), 3000);
      redis.disconnect();
    },
  });
  return redis;
}
