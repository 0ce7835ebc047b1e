import type { Customer } from '@holdfast/testkit/testData';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { create, untilStatus } from '../../stack/executions.ts';
import { falProvider } from './callbackProviders.ts';
import { closedPort, type Hosted, startHosted } from './hosted.ts';
import { expectEndedOnce, newCustomer } from './ledgerChecks.ts';
import { at, painter, writer } from './models.ts';

let hosted: Hosted;
let customer: Customer;

beforeAll(async () => {
  hosted = await startHosted(
    [
      painter('painting-one', [at.replicate()]),
      painter('painting-two', [at.fal()]),
      painter('painting-two-polled', [at.fal('poll')]),
      writer('writing-nowhere', [{ ...at.first(), connection: 'nowhere' }]),
    ],
    { NOWHERE_BASE_URL: await closedPort() },
  );
});
afterAll(() => hosted.close());
beforeEach(async () => {
  customer = await newCustomer(hosted.stack);
});

const hows = ['accept, then reset', 'accept, then html', 'accept, then half a body'] as const;
const attemptsOf = (id: string) =>
  hosted.stack.db.prisma.attempt.findMany({ where: { executionId: id }, orderBy: { number: 'asc' } });

describe('a submit whose response is lost', () => {
  it.each(hows)('at Replicate (%s) is found again, and its run is charged once', async (how) => {
    const { accepted } = hosted.replicate;
    const before = accepted().length;
    hosted.replicate.plan({ create: how, endsAfterMs: null });
    const id = await create(customer.api, 'painting-one', { prompt: how });
    await untilStatus(customer.api, id, 'AWAITING_WEBHOOK');
    await hosted.replicate.finish(accepted().at(-1) ?? '');
    await untilStatus(customer.api, id, 'COMPLETED');
    await expectEndedOnce(hosted.stack, customer, id);
    expect(accepted()).toHaveLength(before + 1);
  });

  it.each(hows)('at fal (%s) is never repeated, and its run ends by its callback', async (how) => {
    const { accepted } = hosted.fal;
    const before = accepted().length;
    hosted.fal.plan({ submit: how, endsAfterMs: null });
    const id = await create(customer.api, 'painting-two', { prompt: how });
    await untilStatus(customer.api, id, 'AWAITING_WEBHOOK');
    await hosted.fal.finish(accepted().at(-1) ?? '');
    await untilStatus(customer.api, id, 'COMPLETED');
    await expectEndedOnce(hosted.stack, customer, id);
    expect(accepted()).toHaveLength(before + 1);
  });

  it.each(hows)('at fal without a callback (%s) fails its execution, which is not charged', async (how) => {
    const { accepted } = hosted.fal;
    const before = accepted().length;
    hosted.fal.plan({ submit: how, endsAfterMs: null });
    const id = await create(customer.api, 'painting-two-polled', { prompt: how });
    const { error } = await untilStatus(customer.api, id, 'FAILED');
    expect(error).toMatchObject({ code: 'GENERATION_FAILED', retryable: true });
    await expectEndedOnce(hosted.stack, customer, id);
    expect(accepted()).toHaveLength(before + 1);
    expect((await attemptsOf(id)).map(({ state }) => state)).toEqual(['unknown']);
  });

  it('is never repeated, and fails its execution when no callback arrives in time', async () => {
    hosted.fal.plan({ submit: 'accept, then reset', endsAfterMs: null, callsBack: false });
    const id = await create(customer.api, 'painting-two', { prompt: 'a' });
    await untilStatus(customer.api, id, 'AWAITING_WEBHOOK');
    await hosted.stack.db.prisma.attempt.updateMany({
      where: { executionId: id },
      data: { pollAt: new Date() },
    });
    const { error } = await untilStatus(customer.api, id, 'FAILED');
    expect(error?.code).toBe('GENERATION_FAILED');
    await expectEndedOnce(hosted.stack, customer, id);
  });
});

describe('a submit that was certainly not accepted', () => {
  it('because the port refuses connections is retried until its execution is cancelled, and nothing is charged', async () => {
    const id = await create(customer.api, 'writing-nowhere', { prompt: 'a' });
    await until('it was tried again', async () => (await attemptsOf(id)).length > 1, 20_000);
    const [first] = await attemptsOf(id);
    expect(first).toMatchObject({ state: 'refused', rawError: expect.stringContaining('ECONNREFUSED') });
    await customer.api.post(`/v1/executions/${id}/cancel`);
    await until('nothing waits', async () =>
      (await attemptsOf(id)).every(({ finishedAt }) => finishedAt !== null),
    );
    expect((await expectEndedOnce(hosted.stack, customer, id)).status).toBe('CANCELLED');
  });

  it('because Replicate resets the connection is repeated once that is known', async () => {
    const { accepted } = hosted.replicate;
    const before = accepted().length;
    const searches = () =>
      hosted.replicate.received.filter(({ path }) => path.includes('created_after')).length;
    const earlierSearches = searches();
    hosted.replicate.plan({ create: 'reset', endsAfterMs: 30 });
    const id = await create(customer.api, 'painting-one', { prompt: 'a' });
    await until('it is looked for', () => searches() > earlierSearches);
    hosted.replicate.plan({ create: 'accept' });
    // The pauses before further polls add up to 45 s.
    await until('it has ended', async () => (await attemptsOf(id)).length > 1, 120_000);
    await untilStatus(customer.api, id, 'COMPLETED');
    await expectEndedOnce(hosted.stack, customer, id);
    expect(accepted()).toHaveLength(before + 1);
  }, 180_000);
});

describe('a provider that returns unusable responses to polls', () => {
  it('is polled further, and its errors do not end the run', async () => {
    const provider = falProvider(hosted);
    hosted.fal.plan({
      submit: 'accept',
      endsAfterMs: null,
      callsBack: false,
      ends: { status: 502, json: { proxy: 'fal' } },
    });
    const id = await create(customer.api, provider.poll, { prompt: 'a' });
    await until('it is asked', () => provider.polls() > 0);
    const run = hosted.fal.run(provider.accepted().at(-1) ?? '');
    await hosted.fal.finish(run.id);
    const polls = hosted.fal.received.filter(({ path }) => path.endsWith(run.id)).length;
    await until(
      'its result is asked for twice',
      () => hosted.fal.received.filter(({ path }) => path.endsWith(run.id)).length > polls + 1,
    );
    const url = `${hosted.fal.baseUrl}/files/1.png`;
    run.plan = { ...run.plan, ends: { status: 200, json: { images: [{ url }] } } };
    await untilStatus(customer.api, id, 'COMPLETED');
    await expectEndedOnce(hosted.stack, customer, id);
  });
});
