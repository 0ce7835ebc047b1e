import { until } from '@holdfast/testkit/until';
import { expect, it } from '@jest/globals';
import { create, untilStatus } from '../../stack/executions.ts';
import { startHosted } from './hosted.ts';
import { limitsOf, newCustomer } from './ledgerChecks.ts';
import { at, writer } from './models.ts';

const hosted = await startHosted([writer('either', [at.first(), at.second()])]);
const customer = await newCustomer(hosted.stack);
const redis = limitsOf(hosted.stack);

const calls = () => hosted.first.received.filter(({ method }) => method === 'PUT').length;
const completed = async (count: number) => {
  const ids = await Promise.all(
    Array.from({ length: count }, () => create(customer.api, 'either', { prompt: 'a' })),
  );
  await Promise.all(ids.map((id) => untilStatus(customer.api, id, 'COMPLETED')));
};
const breakers = '{holdfast-limits}:breakers';
const opensAgainAtMs = async () => Number(await redis.hget(breakers, 'first'));
const timeIsOver = () => redis.hset(breakers, 'first', String(Date.now() - 1));

it('the circuit of a failing provider opens, is probed after its pause, and closes once the provider responds', async () => {
  hosted.first.plan({ submit: { status: 401, json: { detail: 'who are you' } } });
  await completed(10);
  expect(calls()).toBe(10);
  await until('the circuit is open', async () => (await opensAgainAtMs()) > Date.now());
  // Every dispatcher knows it at its next report at the latest; the one at hand made it.
  await until('no more is sent there', async () => {
    const before = calls();
    await completed(3);
    return calls() === before;
  });
  const left = calls();
  await completed(20);
  expect(calls()).toBe(left);

  await timeIsOver();
  await completed(5);
  expect(calls()).toBe(left + 1);
  await until('the probe has failed', async () => (await opensAgainAtMs()) > Date.now());
  await completed(5);
  expect(calls()).toBe(left + 1);

  hosted.first.plan({ submit: 'accept' });
  await timeIsOver();
  await completed(1);
  await until('it is taken back', async () => (await redis.hexists(breakers, 'first')) === 0);
  await until('runs go there again', async () => {
    const before = calls();
    await completed(3);
    return calls() === before + 3;
  });
  const ended = await hosted.stack.db.prisma.execution.groupBy({ by: ['status'], _count: true });
  expect(ended.map(({ status }) => status)).toEqual(['COMPLETED']);
});
