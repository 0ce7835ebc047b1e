import { closing } from '@holdfast/testkit/closing';
import type { Customer } from '@holdfast/testkit/testData';
import { emptyRedis } from '@holdfast/testkit/testRedis';
import { until } from '@holdfast/testkit/until';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { create } from '../../stack/executions.ts';
import { stackOfTests } from '../../stack/stackOfTests.ts';
import { startFakeContainer } from './fakeContainer.ts';
import { limitsOf } from './ledgerChecks.ts';
import { at, writer } from './models.ts';

let customer: Customer;

const container = closing(await startFakeContainer());
const two = { limits: { concurrency: 2 } };
const stack = await stackOfTests({ FIRST_BASE_URL: container.baseUrl }, [
  writer('two', [at.first()], two),
  writer('two-emptied', [at.first()], two),
  writer('three-a-minute', [at.first()], { limits: { per_minute: 3 } }),
  writer('free', [at.first()]),
]);
await stack.services.startAnother('dispatcher');
const redis = limitsOf(stack);
const limited = await stack.newCustomer('100');
const path = `/admin/v1/organizations/${limited.organizationId}`;
expect((await stack.admin.patch(path, { max_concurrency: 3 })).status).toBe(200);

beforeEach(async () => {
  customer = await stack.newCustomer('100');
  container.forget();
  container.runsTake(50);
});

const createMany = (count: number, model: string, of = customer) =>
  Promise.all(
    Array.from({ length: count }, (_, index) => create(of.api, model, { prompt: `${model} ${index}` })),
  );
const allEnd = (of = customer) =>
  until(
    'all have ended',
    async () => {
      const rows = await stack.db.prisma.execution.findMany({ where: { organizationId: of.organizationId } });
      return rows.every(({ completedAt }) => completedAt !== null) && rows.map(({ status }) => status);
    },
    // Places that Redis was too slow to give are free again after 25 s.
    50_000,
  );
const completed = (count: number): string[] => Array.from({ length: count }, () => 'COMPLETED');

describe('with two dispatchers', () => {
  it('a model has at most its maximum of concurrent runs', async () => {
    await createMany(20, 'two');
    expect(await allEnd()).toEqual(completed(20));
    expect(container.maxOpen()).toBe(2);
    expect(new Set(container.begun).size).toBe(20);
    expect(container.begun).toHaveLength(20);
  });

  it('an organization with a limit has at most its maximum of concurrent runs, and others continue', async () => {
    await Promise.all([createMany(12, 'free', limited), createMany(12, 'two')]);
    expect([await allEnd(limited), await allEnd()]).toEqual([completed(12), completed(12)]);
    expect(container.maxOpen()).toBeLessThanOrEqual(5);
    container.forget();
    await createMany(12, 'free', limited);
    await allEnd(limited);
    expect(container.maxOpen()).toBe(3);
  });

  it('a model starts at most its maximum of runs per minute, and the others wait for the next minute', async () => {
    await createMany(5, 'three-a-minute');
    await until('three have begun', () => container.begun.length === 3);
    const looked = performance.now();
    await until('no other run begins', () => container.begun.length > 3 || performance.now() - looked > 800);
    expect(container.begun).toHaveLength(3);
    await redis.del('{holdfast-limits}:begun:model:three-a-minute');
    expect(await allEnd()).toEqual(completed(5));
  });

  it('limits are counted again after Redis is emptied: at most as many runs again start before', async () => {
    container.runsTake(400);
    await createMany(24, 'two-emptied');
    await until('some are done', () => container.begun.length > 6);
    await emptyRedis(stack.redisUrl);
    expect(await allEnd()).toEqual(completed(24));
    expect(container.maxOpen()).toBeLessThanOrEqual(4);
    expect(container.begun).toHaveLength(24);
    container.forget();
    container.runsTake(50);
    await createMany(10, 'two-emptied');
    await allEnd();
    expect(container.maxOpen()).toBe(2);
  }, 90_000);
});
