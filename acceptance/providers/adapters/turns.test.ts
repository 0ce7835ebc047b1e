import { closing } from '@holdfast/testkit/closing';
import { until } from '@holdfast/testkit/until';
import { beforeEach, expect, it } from '@jest/globals';
import { create, untilStatus } from '../../stack/executions.ts';
import { stackOfTests } from '../../stack/stackOfTests.ts';
import { startFakeContainer } from './fakeContainer.ts';
import { at, writer } from './models.ts';

const container = closing(await startFakeContainer());
const stack = await stackOfTests({ FIRST_BASE_URL: container.baseUrl }, [
  writer('four-at-once', [at.first()], { limits: { concurrency: 4 } }),
  writer('one-at-once', [at.first()], { limits: { concurrency: 1 } }),
]);

beforeEach(() => container.forget());

it('2,000 queued executions of one organization do not delay the first execution of another', async () => {
  const [busy, other] = await Promise.all([stack.newCustomer('1000'), stack.newCustomer('10')]);
  container.runsTake(20);
  container.shut();
  const prompts = Array.from({ length: 2000 }, (_, index) => `busy ${index}`);
  const createNext = async (): Promise<void> => {
    for (let prompt = prompts.pop(); prompt !== undefined; prompt = prompts.pop())
      await create(busy.api, 'four-at-once', { prompt });
  };
  await Promise.all(Array.from({ length: 32 }, createNext));
  container.open();
  await until('it is at them', () => container.begun.length > 20);
  // Nothing ends during the create, which takes time too.
  container.shut();
  const before = container.begun.length;
  const id = await create(other.api, 'four-at-once', { prompt: 'other' });
  container.open();
  await untilStatus(other.api, id, 'COMPLETED');
  const waiting = await stack.db.prisma.execution.count({
    where: { organizationId: busy.organizationId, status: 'PENDING' },
  });
  expect(waiting).toBeGreaterThan(1000);
  // Four at once, 20 ms each: 200 a second.
  expect(container.begun.indexOf('other') - before).toBeLessThan(60);
}, 60_000);

it('executions of one organization start by priority: high before normal, and normal before low', async () => {
  const customer = await stack.newCustomer('10');
  container.runsTake(0);
  container.shut();
  const first = await create(customer.api, 'one-at-once', { prompt: 'first' });
  await until('it has begun', () => container.begun.includes('first'));
  const ids = [first];
  for (const priority of ['low', 'normal', 'high', 'low', 'high', undefined]) {
    const prompt = `${priority ?? 'normal'} ${ids.length}`;
    ids.push(
      await create(customer.api, 'one-at-once', { prompt }, priority === undefined ? {} : { priority }),
    );
  }
  container.open();
  await Promise.all(ids.map((id) => untilStatus(customer.api, id, 'COMPLETED')));
  const own = container.begun.filter((prompt) => !prompt.startsWith('busy'));
  expect(own).toEqual(['first', 'high 3', 'high 5', 'normal 2', 'normal 6', 'low 1', 'low 4']);
});
