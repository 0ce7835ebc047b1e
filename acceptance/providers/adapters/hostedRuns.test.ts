import type { Customer } from '@holdfast/testkit/testData';
import { until } from '@holdfast/testkit/until';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { create, readExecution, untilStatus } from '../../stack/executions.ts';
import { type CallbackProvider, falProvider, replicateProvider } from './callbackProviders.ts';
import { startHosted } from './hosted.ts';
import { balanceOf, expectEndedOnce, newCustomer } from './ledgerChecks.ts';
import { at, painter } from './models.ts';

let customer: Customer;

const hosted = await startHosted([
  painter('painting-one', [at.replicate()]),
  painter('painting-one-polled', [at.replicate('poll')]),
  painter('painting-two', [at.fal()]),
  painter('painting-two-polled', [at.fal('poll')]),
]);
const providers: Record<string, CallbackProvider> = {
  replicate: replicateProvider(hosted),
  fal: falProvider(hosted),
};

beforeEach(async () => {
  customer = await newCustomer(hosted.stack);
});

const attemptsOf = (id: string) => hosted.stack.db.prisma.attempt.findMany({ where: { executionId: id } });
const drawn = { images: [{ file_id: expect.stringMatching(/^file_/), format: 'png', width: 1, height: 1 }] };

describe.each(['replicate', 'fal'])('a run at %s', (name) => {
  let provider: CallbackProvider;

  beforeEach(() => {
    provider = providers[name] as CallbackProvider;
    provider.submit('accept');
    provider.plan({ endsAfterMs: null, callsBack: true });
  });

  /** An execution whose provider has its run, and is to call back. */
  async function awaited(): Promise<{ id: string; run: string }> {
    const before = provider.accepted().length;
    const id = await create(customer.api, provider.callback, { prompt: 'a' });
    await untilStatus(customer.api, id, 'AWAITING_WEBHOOK');
    expect(provider.accepted()).toHaveLength(before + 1);
    return { id, run: provider.accepted().at(-1) ?? '' };
  }

  /** An execution whose provider has its run, and does not respond to the submit. */
  async function submitted(): Promise<{ id: string; run: string }> {
    provider.submit('accept, then silence');
    const before = provider.accepted().length;
    const id = await create(customer.api, provider.callback, { prompt: 'a' });
    await until('it is accepted', () => provider.accepted().length > before);
    expect((await readExecution(customer.api, id)).status).toBe('PROCESSING');
    return { id, run: provider.accepted().at(-1) ?? '' };
  }

  const completed = async (id: string) => {
    await untilStatus(customer.api, id, 'COMPLETED');
    const record = await expectEndedOnce(hosted.stack, customer, id);
    expect(record).toMatchObject({ cost: '0.04', result: drawn });
  };

  it('ends by its callback, and is charged once', async () => {
    const { id, run } = await awaited();
    expect(await balanceOf(customer)).toEqual({ available: '99.952', held: '0.048' });
    expect(await provider.finish(run)).toEqual([200]);
    await completed(id);
  });

  it('ends by polling if its provider sends no callback', async () => {
    provider.plan({ endsAfterMs: 0, callsBack: false });
    const id = await create(customer.api, provider.poll, { prompt: 'a' });
    await completed(id);
    expect(provider.polls()).toBeGreaterThan(0);
  });

  it('ends if its callback arrives before the submit returns', async () => {
    const { id, run } = await submitted();
    expect(await provider.finish(run)).toEqual([200]);
    await completed(id);
    expect(provider.accepted().at(-1)).toBe(run);
  });

  it('is polled if its callback never arrives', async () => {
    provider.plan({ callsBack: false });
    const { id, run } = await awaited();
    expect(await provider.finish(run)).toEqual([]);
    // Without this, the dispatcher would poll 15 s after the run was accepted.
    await hosted.stack.db.prisma.attempt.updateMany({
      where: { executionId: id },
      data: { pollAt: new Date() },
    });
    await completed(id);
  });

  it('changes nothing when it ends after its execution was cancelled during the submit', async () => {
    const { id, run } = await submitted();
    await customer.api.post(`/v1/executions/${id}/cancel`);
    if (name === 'replicate')
      await until('it is found and stopped', () => provider.wasCancelled(run), 30_000);
    expect(await provider.callBack(run)).toBe(200);
    await until('none of its attempts is open', async () =>
      (await attemptsOf(id)).every(({ finishedAt }) => finishedAt !== null),
    );
    const { status, cost } = await expectEndedOnce(hosted.stack, customer, id);
    expect([status, cost]).toEqual(['CANCELLED', null]);
    expect(provider.accepted().at(-1)).toBe(run);
  });
});

it('the output of a run is not kept when its execution is cancelled before the outcome is settled', async () => {
  const { prisma } = hosted.stack.db;
  const ready = (id: string) => prisma.file.findMany({ where: { executionId: id, state: 'ready' } });
  await hosted.stack.services.stop('ledger');
  hosted.replicate.plan({ create: 'accept', endsAfterMs: 10, callsBack: true });
  const id = await create(customer.api, 'painting-one', { prompt: 'a' });
  await until('it was made', () =>
    prisma.attempt.findFirst({ where: { executionId: id, state: 'succeeded' } }),
  );
  expect(await ready(id)).toHaveLength(1);
  await customer.api.post(`/v1/executions/${id}/cancel`);
  await until('its file has expired', async () =>
    (await ready(id)).every(({ expiresAt }) => expiresAt !== null && expiresAt <= new Date()),
  );
  await hosted.stack.services.start('ledger');
  await until('its outcome is put aside', () =>
    prisma.attempt.findFirst({ where: { executionId: id, settledAt: { not: null } } }),
  );
  const record = await expectEndedOnce(hosted.stack, customer, id);
  expect([record.status, record.cost]).toEqual(['CANCELLED', null]);
});
