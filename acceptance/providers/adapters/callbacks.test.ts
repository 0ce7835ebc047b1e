import { type FakeHttp, fakeHttpOptions, startFakeHttp } from '@holdfast/providers/http/testing/fakeHttp';
import type { Customer } from '@holdfast/testkit/testData';
import { until } from '@holdfast/testkit/until';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { create, readExecution, untilStatus } from '../../stack/executions.ts';
import { type CallbackProvider, falProvider, replicateProvider } from './callbackProviders.ts';
import { type Hosted, settingsOf, startHosted } from './hosted.ts';
import { balanceOf, expectEndedOnce, newCustomer } from './ledgerChecks.ts';
import { at, painter, writer } from './models.ts';

let hosted: Hosted;
let own: FakeHttp;
let customer: Customer;
let providers: Record<string, CallbackProvider>;

beforeAll(async () => {
  own = await startFakeHttp();
  const environment = { OWN_BASE_URL: own.baseUrl, ...settingsOf('OWN', own.settings) };
  const models = [
    writer('own', [
      { adapter: 'http', connection: 'own', model: 'm', mode: 'callback', options: fakeHttpOptions },
    ]),
    writer('writing', [at.first('callback')]),
    painter('painting-one', [at.replicate()]),
    painter('painting-one-polled', [at.replicate('poll')]),
    painter('painting-two', [at.fal()]),
    painter('painting-two-polled', [at.fal('poll')]),
  ];
  hosted = await startHosted(models, environment);
  providers = { replicate: replicateProvider(hosted), fal: falProvider(hosted) };
});
afterAll(async () => {
  await hosted.close();
  await own.close();
});
beforeEach(async () => {
  customer = await newCustomer(hosted.stack);
});

const drawn = { images: [{ file_id: expect.stringMatching(/^file_/), format: 'png', width: 1, height: 1 }] };
const inbox = () => hosted.stack.db.prisma.providerCallback.findMany();
const allRead = () =>
  until('every callback was read', async () =>
    (await inbox()).every(({ processedAt }) => processedAt !== null),
  );

it('a run at an HTTP server ends by a callback that is signed as its model file specifies', async () => {
  own.plan({ endsAfterMs: null });
  const id = await create(customer.api, 'own', { prompt: 'a' });
  await untilStatus(customer.api, id, 'AWAITING_WEBHOOK');
  expect(await own.finish(own.accepted()[0] ?? '')).toEqual([200]);
  expect(await untilStatus(customer.api, id, 'COMPLETED')).toMatchObject({ result: { text: 'hello' } });
  await expectEndedOnce(hosted.stack, customer, id);
});

it('a run at a container ends by an unsigned callback that has its token', async () => {
  hosted.first.plan({ endsAfterMs: null });
  const id = await create(customer.api, 'writing', { prompt: 'a' });
  await untilStatus(customer.api, id, 'AWAITING_WEBHOOK');
  expect(await hosted.first.finish(hosted.first.accepted()[0] ?? '')).toEqual([200]);
  expect(await untilStatus(customer.api, id, 'COMPLETED')).toMatchObject({ result: { text: 'hello' } });
  await expectEndedOnce(hosted.stack, customer, id);
});

describe.each(['replicate', 'fal'])('a run at %s', (name) => {
  let provider: CallbackProvider;

  beforeEach(() => {
    provider = providers[name] as CallbackProvider;
    provider.submit('accept');
    provider.plan({ endsAfterMs: null, callsBack: true });
  });

  /** An execution whose provider has its run, and is to call back. */
  async function awaited(of = customer): Promise<{ id: string; run: string }> {
    const before = provider.accepted().length;
    const id = await create(of.api, provider.callback, { prompt: 'a' });
    await untilStatus(of.api, id, 'AWAITING_WEBHOOK');
    expect(provider.accepted()).toHaveLength(before + 1);
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

  it('ends once if it receives several callbacks, at the same time and later', async () => {
    const { id, run } = await awaited();
    await provider.finish(run);
    const atOnce = await Promise.all([
      provider.callBack(run),
      provider.callBack(run),
      provider.callBack(run),
    ]);
    await completed(id);
    expect([...atOnce, await provider.callBack(run)]).toEqual([200, 200, 200, 200]);
    await allRead();
    await completed(id);
  });

  it('ends if its callback arrives before the submit returns', async () => {
    provider.submit('accept, then silence');
    const before = provider.accepted().length;
    const id = await create(customer.api, provider.callback, { prompt: 'a' });
    await until('it is accepted', () => provider.accepted().length > before);
    expect((await readExecution(customer.api, id)).status).toBe('PROCESSING');
    expect(await provider.finish(provider.accepted().at(-1) ?? '')).toEqual([200]);
    await completed(id);
    expect(provider.accepted()).toHaveLength(before + 1);
  });

  it.each([
    ['forged', { forged: true }],
    ['replayed an hour later', { atS: Math.floor(Date.now() / 1000) - 3600 }],
  ])('is not ended by a callback that is %s', async (_how, how) => {
    const { id, run } = await awaited();
    expect(await provider.callBack(run, how)).toBe(200);
    await allRead();
    expect((await readExecution(customer.api, id)).status).toBe('AWAITING_WEBHOOK');
    await provider.finish(run);
    await completed(id);
  });

  it("is not ended by the callback of another organization's run", async () => {
    const other = await newCustomer(hosted.stack);
    const [mine, theirs] = [await awaited(), await awaited(other)];
    expect(await provider.callBack(mine.run, { of: theirs.run })).toBe(200);
    await allRead();
    expect((await readExecution(customer.api, mine.id)).status).toBe('AWAITING_WEBHOOK');
    expect((await readExecution(other.api, theirs.id)).status).toBe('AWAITING_WEBHOOK');
    await provider.finish(mine.run);
    await completed(mine.id);
    await other.api.post(`/v1/executions/${theirs.id}/cancel`);
    expect(await balanceOf(other)).toEqual({ available: '100.00', held: '0.00' });
  });

  it('is not found by the token of another run', async () => {
    const { id, run } = await awaited();
    const url = provider.webhookOf(run);
    const wrong = url.replace(/\w{8}$/, '00000000');
    const response = await fetch(wrong, { method: 'POST', body: '{}' });
    expect([response.status, await response.json()]).toMatchObject([404, { error: { code: 'NOT_FOUND' } }]);
    await provider.finish(run);
    await completed(id);
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

  it('stays cancelled and costs nothing if its callback arrives after the cancellation', async () => {
    const { id, run } = await awaited();
    await customer.api.post(`/v1/executions/${id}/cancel`);
    await until('its provider is asked to stop it', () => provider.wasCancelled(run));
    expect(await provider.callBack(run)).toBe(200);
    await allRead();
    expect((await expectEndedOnce(hosted.stack, customer, id)).status).toBe('CANCELLED');
  });
});
