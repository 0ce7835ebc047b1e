import { closing } from '@holdfast/testkit/closing';
import type { Customer } from '@holdfast/testkit/testData';
import { emptyRedis } from '@holdfast/testkit/testRedis';
import { until } from '@holdfast/testkit/until';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { create, readExecution, untilStatus } from '../../stack/executions.ts';
import { stackOfTests } from '../../stack/stackOfTests.ts';
import { type FakeContainer, startFakeContainer } from './fakeContainer.ts';
import { limitsOf } from './ledgerChecks.ts';
import { at, writer } from './models.ts';

let customer: Customer;

const first = closing(await startFakeContainer());
const second = closing(await startFakeContainer());
const stack = await stackOfTests({ FIRST_BASE_URL: first.baseUrl, SECOND_BASE_URL: second.baseUrl }, [
  writer('one-place', [at.first()]),
  writer('hasty', [at.first()], { timeout_s: 10 }),
  writer('moves-on', [at.first(), at.second()]),
  writer('stays', [at.first(), at.second()], { on_busy: 'wait' }),
]);
const redis = limitsOf(stack);

beforeEach(async () => {
  customer = await stack.newCustomer('100');
  await forgetCapacity();
  for (const container of [first, second]) {
    container.open();
    container.forget();
    container.runsTake(20);
    container.slots(null);
    container.refuse(null);
  }
});

const forgetCapacity = () => redis.del('{holdfast-limits}:capacity');
const createMany = (count: number, model: string, of = customer) =>
  Promise.all(
    Array.from({ length: count }, (_, index) => create(of.api, model, { prompt: `${model} ${index}` })),
  );
const allComplete = (ids: string[], of = customer) =>
  Promise.all(ids.map((id) => untilStatus(of.api, id, 'COMPLETED')));
const attemptsOf = (id: string) =>
  stack.db.prisma.attempt.findMany({ where: { executionId: id }, orderBy: { number: 'asc' } });
const refusalsOf = async (ids: string[]) =>
  (await Promise.all(ids.map(attemptsOf))).flat().reduce((sum, { busyRefusals }) => sum + busyRefusals, 0);

/** Ends all pauses at once, of the attempts and of the learned capacity. */
async function hurry(): Promise<void> {
  await forgetCapacity();
  await stack.db.pool.query(`UPDATE attempts SET poll_at = now() WHERE state = 'waiting'`);
}

describe('an execution that waits for a busy provider, with one dispatcher,', () => {
  it('survives the loss of every dispatcher and of all data in Redis', async () => {
    first.slots(0);
    const ids = await createMany(3, 'one-place');
    await until('all wait', async () => {
      const states = (await Promise.all(ids.map(attemptsOf))).flat().map(({ state }) => state);
      return states.length === 3 && states.every((state) => state === 'waiting');
    });
    await stack.services.stop('dispatcher');
    await emptyRedis(stack.redisUrl);
    first.slots(1);
    await stack.services.start('dispatcher');
    await allComplete(ids);
  }, 60_000);

  it('keeps waiting after a takeover, and is submitted once there is capacity', async () => {
    first.slots(0);
    const id = await create(customer.api, 'one-place', { prompt: 'taken over' });
    await until('it waits', async () => (await attemptsOf(id))[0]?.state === 'waiting');
    await stack.db.pool.query(
      `UPDATE attempts SET state = 'starting', lease_until = now(), poll_at = NULL WHERE execution_id = $1`,
      [id],
    );
    await until('it is asked about again', async () => (await refusalsOf([id])) > 2, 20_000);
    expect(await attemptsOf(id)).toMatchObject([{ state: 'starting', finishedAt: null }]);
    first.slots(1);
    await untilStatus(customer.api, id, 'COMPLETED');
    expect(first.begun).toEqual(['taken over']);
  }, 60_000);
});

describe('a provider with one slot, and two dispatchers', () => {
  beforeAll(() => stack.services.startAnother('dispatcher'));

  it('receives more runs than it accepts, and each of them waits, stays one attempt and completes', async () => {
    first.slots(1);
    const ids = await createMany(12, 'one-place');
    await allComplete(ids);
    expect(first.maxOpen()).toBe(1);
    expect(first.begun).toHaveLength(12);
    const attempts = (await Promise.all(ids.map(attemptsOf))).flat();
    expect(attempts).toHaveLength(12);
    expect(await refusalsOf(ids)).toBe(first.refused());
  });

  it('stays busy for longer than a failing one would be retried, and no run uses up a retry', async () => {
    first.slots(0);
    const id = await create(customer.api, 'one-place', { prompt: 'patient' });
    await until(
      'it was refused more often than a failing provider is asked',
      async () => {
        await hurry();
        return (await refusalsOf([id])) > 6;
      },
      60_000,
    );
    expect((await readExecution(customer.api, id)).status).toBe('PROCESSING');
    expect(await attemptsOf(id)).toMatchObject([
      { number: 1, state: expect.stringMatching(/waiting|starting/) },
    ]);
    first.slots(1);
    await hurry();
    await untilStatus(customer.api, id, 'COMPLETED');
    expect(await attemptsOf(id)).toMatchObject([{ number: 1, state: 'succeeded', provider: 'first' }]);
  }, 90_000);

  it('receives no more runs than its capacity once that is known', async () => {
    first.slots(2);
    first.shut();
    const ids = await createMany(10, 'one-place');
    await until('two are at it', () => first.now() === 2);
    await until('the others were refused', async () => (await redis.hlen('{holdfast-limits}:capacity')) > 0);
    first.open();
    await allComplete(ids);
    first.forget();
    // The learned capacity may be one too small until it grows.
    first.runsTake(400);
    await allComplete(await createMany(30, 'one-place'));
    expect(first.maxOpen()).toBe(2);
    // Some of the thirty runs are admitted above the capacity, to find out whether it has grown.
    expect(first.refused()).toBeLessThan(10);
  }, 60_000);
});

describe('an execution that waits for a busy provider', () => {
  it('holds no dispatcher slot and is cancelled at once', async () => {
    first.refuse({ status: 503, headers: { 'retry-after': '60' } });
    const id = await create(customer.api, 'one-place', { prompt: 'a' });
    await until('it waits', async () => (await attemptsOf(id))[0]?.state === 'waiting');
    const [attempt] = await attemptsOf(id);
    expect(attempt?.leaseUntil).toBeNull();
    expect(Number(attempt?.pollAt)).toBeGreaterThan(Date.now() + 50_000);
    expect((await customer.api.post(`/v1/executions/${id}/cancel`)).body).toMatchObject({
      status: 'CANCELLED',
    });
    await until('its attempt is over', async () => (await attemptsOf(id))[0]?.state === 'cancelled');
    expect((await customer.api.get('/v1/balance')).body).toMatchObject({ held: '0.00', available: '100.00' });
  });

  it('expires on time when no capacity becomes free', async () => {
    // A retry that is sent just before the end times out with the execution, which then fails instead.
    first.refuse({ status: 429, headers: { 'retry-after': '60' } });
    const id = await create(customer.api, 'hasty', { prompt: 'a' });
    const { error } = await untilStatus(customer.api, id, 'EXPIRED');
    expect(error).toMatchObject({ code: 'GENERATION_TIMEOUT', retryable: true });
    const [attempt, ...others] = await attemptsOf(id);
    expect(others).toEqual([]);
    expect(attempt).toMatchObject({
      busyRefusals: expect.any(Number),
      rawError: expect.stringContaining('429'),
    });
    expect((await customer.api.get('/v1/balance')).body).toMatchObject({ held: '0.00', available: '100.00' });
  });
});

describe('a busy provider of a model with a second provider', () => {
  const begunAt = (container: FakeContainer, prompt: string) =>
    container.begun.filter((one) => one === prompt).length;

  it('is skipped at once, and the run is one attempt at the second provider', async () => {
    first.slots(0);
    const id = await create(customer.api, 'moves-on', { prompt: 'a' });
    await untilStatus(customer.api, id, 'COMPLETED');
    expect(await attemptsOf(id)).toMatchObject([{ provider: 'second', state: 'succeeded', busyRefusals: 1 }]);
  });

  it('gets the run when both were busy and it is the first with free capacity', async () => {
    first.slots(0);
    second.slots(0);
    const id = await create(customer.api, 'moves-on', { prompt: 'back' });
    await until('both were busy', () => first.refused() > 0 && second.refused() > 0);
    first.slots(1);
    await untilStatus(customer.api, id, 'COMPLETED');
    expect([begunAt(first, 'back'), begunAt(second, 'back')]).toEqual([1, 0]);
  });

  it('keeps the run waiting if the model says so', async () => {
    first.slots(0);
    const id = await create(customer.api, 'stays', { prompt: 'stays' });
    await until('it was busy', () => first.refused() > 0);
    first.slots(1);
    await untilStatus(customer.api, id, 'COMPLETED');
    expect([begunAt(first, 'stays'), begunAt(second, 'stays')]).toEqual([1, 0]);
  });
});
