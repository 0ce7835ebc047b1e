import { startRedis } from '@holdfast/local/redis';
import { connectProducer, untilReady } from '@holdfast/queues/connection';
import { queueNames, queuePrefix } from '@holdfast/queues/definitions';
import { openBreakableProxy } from '@holdfast/testkit/breakableProxy';
import { testFolder } from '@holdfast/testkit/testFolder';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { create, readExecution, untilEvent, untilStatus } from '../stack/executions.ts';
import { type Stack, startStack } from '../stack/stack.ts';

let server: Awaited<ReturnType<typeof startRedis>>;
let redis: Awaited<ReturnType<typeof openBreakableProxy>>;
let stack: Stack;

beforeAll(async () => {
  server = await startRedis({ dir: testFolder('redis'), isDurable: false });
  redis = await openBreakableProxy(server.url);
  stack = await startStack({ REDIS_URL: redis.url });
});
beforeEach(() => redis.end());
afterAll(async () => {
  redis.end();
  await stack.close();
  await redis.close();
  await server.stop();
});

it('executions are created, run, settled and delivered from the database alone while Redis is unavailable', async () => {
  const customer = await stack.newCustomer('1');
  await customer.api.post('/v1/webhooks/endpoints', { url: stack.receiver.url });
  redis.begin('gone');
  const id = await create(customer.api, 'sandbox-text', { prompt: 'without a queue' });
  await untilStatus(customer.api, id, 'COMPLETED');
  await untilEvent(stack.receiver, id, 'execution.completed');
  expect((await readExecution(customer.api, id)).cost).toBe('0.01');
  expect((await customer.api.get('/v1/balance')).body).toMatchObject({ total: '0.99', held: '0.00' });
});

it('so is a run that its provider reports by a callback', async () => {
  const customer = await stack.newCustomer('1');
  redis.begin('gone');
  const input = { prompt: 'without a queue', mode: 'callback', delay_ms: 100 };
  await untilStatus(customer.api, await create(customer.api, 'sandbox-text', input), 'COMPLETED');
});

it('and while Redis responds, but is full', async () => {
  const customer = await stack.newCustomer('1');
  const operator = connectProducer(server.url, { info: () => {}, warn: () => {} });
  await untilReady(operator, 5000);
  await operator.config('SET', 'maxmemory', '1');
  await expect(operator.set('a', 'b')).rejects.toThrow('OOM');
  const input = { prompt: 'without room', mode: 'callback', delay_ms: 100 };
  await untilStatus(customer.api, await create(customer.api, 'sandbox-text', input), 'COMPLETED');
  await operator.config('SET', 'maxmemory', '0');
  operator.disconnect();
});

it.each([
  ['of which none can be taken', 'active'],
  ['to which none can be added', 'meta'],
])('and while something else has written to the keys of the queues, %s', async (_effect, key) => {
  const customer = await stack.newCustomer('1');
  await customer.api.post('/v1/webhooks/endpoints', { url: stack.receiver.url });
  const operator = connectProducer(server.url, { info: () => {}, warn: () => {} });
  await untilReady(operator, 5000);
  const keys = queueNames.map((name) => `${queuePrefix(name)}:${name}:${key}`);
  for (const name of keys) await operator.set(name, 'ours');
  const inputs = ['sync', 'callback'].map((mode) => ({ prompt: 'without jobs', mode, delay_ms: 100 }));
  const ids = await Promise.all(inputs.map((input) => create(customer.api, 'sandbox-text', input)));
  await Promise.all(ids.map((id) => untilStatus(customer.api, id, 'COMPLETED')));
  for (const id of ids) await untilEvent(stack.receiver, id, 'execution.completed');
  await operator.del(...keys);
  operator.disconnect();
});
