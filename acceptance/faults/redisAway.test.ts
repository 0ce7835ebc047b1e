import { startRedis } from '@holdfast/local/redis';
import { connectProducer, untilReady } from '@holdfast/queues/connection';
import { queueNames, queuePrefix } from '@holdfast/queues/definitions';
import { openBreakableProxy } from '@holdfast/testkit/breakableProxy';
import { closing } from '@holdfast/testkit/closing';
import { testFolder } from '@holdfast/testkit/testFolder';
import { afterEach, expect, it } from '@jest/globals';
import { create, readExecution, untilEvent, untilStatus } from '../stack/executions.ts';
import { stackOfTests } from '../stack/stackOfTests.ts';

const server = await startRedis({ dir: testFolder('redis'), isDurable: false });
closing({ close: () => server.stop() });
const redis = closing(await openBreakableProxy(server.url));
const stack = await stackOfTests({ REDIS_URL: redis.url });

afterEach(() => redis.end());

it('executions are created, run, settled and delivered from the database alone while Redis is unavailable', async () => {
  const customer = await stack.newCustomer('1');
  await customer.api.post('/v1/webhooks/endpoints', { url: stack.receiver.url });
  redis.begin('gone');
  const inputs = ['sync', 'callback'].map((mode) => ({ prompt: 'without a queue', mode, delay_ms: 100 }));
  const ids = await Promise.all(inputs.map((input) => create(customer.api, 'sandbox-text', input)));
  await Promise.all(ids.map((id) => untilStatus(customer.api, id, 'COMPLETED')));
  for (const id of ids) await untilEvent(stack.receiver, id, 'execution.completed');
  for (const id of ids) expect((await readExecution(customer.api, id)).cost).toBe('0.01');
  expect((await customer.api.get('/v1/balance')).body).toMatchObject({ total: '0.98', held: '0.00' });
});

it('and while Redis responds, but is full', async () => {
  const customer = await stack.newCustomer('1');
  const operator = connectProducer(server.url, { info: () => {}, warn: () => {} });
  await untilReady(operator, 5000);
  await operator.config('SET', 'maxmemory', '1');
  try {
    await expect(operator.set('a', 'b')).rejects.toThrow('OOM');
    const input = { prompt: 'without room', mode: 'callback', delay_ms: 100 };
    await untilStatus(customer.api, await create(customer.api, 'sandbox-text', input), 'COMPLETED');
  } finally {
    await operator.config('SET', 'maxmemory', '0');
    operator.disconnect();
  }
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
