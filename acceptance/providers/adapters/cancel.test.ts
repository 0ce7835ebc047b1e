import { createLogger } from '@holdfast/kit/logger';
import { connectProducer } from '@holdfast/queues/connection';
import type { Customer } from '@holdfast/testkit/testData';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { create, untilStatus } from '../../stack/executions.ts';
import { type CallbackProvider, falProvider, replicateProvider } from './callbackProviders.ts';
import { type Hosted, startHosted } from './hosted.ts';
import { expectEndedOnce, expectNoPlacesTaken, newCustomer } from './ledgerChecks.ts';
import { at, painter, writer } from './models.ts';

let hosted: Hosted;
let customer: Customer;
let providers: Record<string, CallbackProvider>;

beforeAll(async () => {
  hosted = await startHosted(
    [
      painter('painting-one', [at.replicate()]),
      painter('painting-one-polled', [at.replicate('poll')]),
      painter('painting-two', [at.fal()]),
      painter('painting-two-polled', [at.fal('poll')]),
      painter('one-at-a-time', [at.replicate()], { limits: { concurrency: 1 } }),
      writer('writing', [at.first()]),
    ],
    { REPLICATE_MAX_CONCURRENCY: '50', FAL_MAX_CONCURRENCY: '50', FIRST_MAX_CONCURRENCY: '50' },
  );
  providers = { replicate: replicateProvider(hosted), fal: falProvider(hosted) };
});
afterAll(async () => {
  const redis = connectProducer(hosted.stack.redisUrl, createLogger('test', 'silent'));
  await until('Redis is there', () => redis.status === 'ready');
  await expectNoPlacesTaken(redis);
  redis.disconnect();
  await hosted.close();
});
beforeEach(async () => {
  customer = await newCustomer(hosted.stack);
});

const cancel = async (id: string) => {
  const { status, body } = await customer.api.post(`/v1/executions/${id}/cancel`);
  expect([status, body['status']]).toEqual([200, 'CANCELLED']);
};
const attemptsOf = (id: string) => hosted.stack.db.prisma.attempt.findMany({ where: { executionId: id } });
const nothingRuns = (id: string) =>
  until('none of its attempts is open', async () =>
    (await attemptsOf(id)).every(({ finishedAt }) => finishedAt !== null),
  );
/** Expects no charge, and no effect of late results. */
async function expectCancelled(id: string): Promise<void> {
  await nothingRuns(id);
  const { status, cost } = await expectEndedOnce(hosted.stack, customer, id);
  expect([status, cost]).toEqual(['CANCELLED', null]);
}

describe.each(['replicate', 'fal'])('an execution at %s that is cancelled', (name) => {
  let provider: CallbackProvider;

  beforeEach(() => {
    provider = providers[name] as CallbackProvider;
    provider.submit('accept');
    provider.plan({ endsAfterMs: null, callsBack: true });
  });

  it('while it awaits a callback has its run stopped', async () => {
    const id = await create(customer.api, provider.callback, { prompt: 'a' });
    await untilStatus(customer.api, id, 'AWAITING_WEBHOOK');
    const run = provider.accepted().at(-1) ?? '';
    await cancel(id);
    await until('its provider is asked to stop it', () => provider.wasCancelled(run));
    await provider.callBack(run);
    await expectCancelled(id);
  });

  it('while it is polled has its run stopped', async () => {
    const id = await create(customer.api, provider.poll, { prompt: 'a' });
    await until('it runs', async () => (await attemptsOf(id)).some(({ state }) => state === 'running'));
    const run = provider.accepted().at(-1) ?? '';
    await cancel(id);
    await until('its provider is asked to stop it', () => provider.wasCancelled(run));
    await expectCancelled(id);
  });

  it('while its submit is in flight ignores the late result', async () => {
    provider.submit('accept, then silence');
    const before = provider.accepted().length;
    const id = await create(customer.api, provider.callback, { prompt: 'a' });
    await until('it is accepted', () => provider.accepted().length > before);
    await cancel(id);
    const run = provider.accepted().at(-1) ?? '';
    if (name === 'replicate')
      await until('it is found and stopped', () => provider.wasCancelled(run), 30_000);
    await provider.callBack(run);
    await expectCancelled(id);
    expect(provider.accepted()).toHaveLength(before + 1);
  });

  it('by its expiry while its submit is in flight is EXPIRED and costs nothing', async () => {
    provider.submit('accept, then silence');
    const before = provider.accepted().length;
    const id = await create(customer.api, provider.callback, { prompt: 'a' });
    await until('it is accepted', () => provider.accepted().length > before);
    await hosted.stack.db.prisma.execution.update({ where: { id }, data: { expiresAt: new Date() } });
    expect((await untilStatus(customer.api, id, 'EXPIRED')).error?.code).toBe('GENERATION_TIMEOUT');
    const run = provider.accepted().at(-1) ?? '';
    if (name === 'replicate')
      await until('it is found and stopped', () => provider.wasCancelled(run), 30_000);
    expect(await provider.callBack(run)).toBe(200);
    await nothingRuns(id);
    expect((await expectEndedOnce(hosted.stack, customer, id)).cost).toBeNull();
    expect(provider.accepted()).toHaveLength(before + 1);
  });

  it('while it waits for a retry is never submitted again', async () => {
    provider.submit({ status: 429, headers: { 'retry-after': '2' }, json: { detail: 'slow down' } });
    const before = provider.accepted().length;
    const id = await create(customer.api, provider.callback, { prompt: 'a' });
    await until('it waits', async () => (await attemptsOf(id)).some(({ state }) => state === 'waiting'));
    await cancel(id);
    provider.submit('accept');
    await expectCancelled(id);
    expect((await attemptsOf(id)).map(({ state }) => state)).toEqual(['cancelled']);
    expect(provider.accepted()).toHaveLength(before);
  });
});

it('an execution that is cancelled while it runs in a container has its run stopped', async () => {
  hosted.first.plan({ endsAfterMs: null });
  const id = await create(customer.api, 'writing', { prompt: 'a' });
  await until('it is accepted', () => hosted.first.accepted().length === 1);
  await cancel(id);
  await until('its provider is asked to stop it', () =>
    hosted.first.received.some(({ path }) => path.endsWith('/cancel')),
  );
  await expectCancelled(id);
});

it('an execution that is cancelled while it waits for a slot never starts, and the next one does', async () => {
  hosted.replicate.plan({ create: 'accept', endsAfterMs: null, callsBack: true });
  const other = await newCustomer(hosted.stack);
  const first = await create(other.api, 'one-at-a-time', { prompt: 'first' });
  await untilStatus(other.api, first, 'AWAITING_WEBHOOK');
  const before = hosted.replicate.accepted().length;
  const id = await create(customer.api, 'one-at-a-time', { prompt: 'held back' });
  const third = await create(other.api, 'one-at-a-time', { prompt: 'third' });
  await untilStatus(customer.api, id, 'PENDING');
  await cancel(id);
  await hosted.replicate.finish(hosted.replicate.accepted().at(-1) ?? '');
  await untilStatus(other.api, third, 'AWAITING_WEBHOOK');
  expect(await attemptsOf(id)).toEqual([]);
  const prompts = hosted.replicate
    .accepted()
    .slice(before)
    .map((run) => hosted.replicate.run(run).body.input);
  expect(prompts).toEqual([{ prompt: 'third' }]);
  await other.api.post(`/v1/executions/${third}/cancel`);
  await expectCancelled(id);
});
