import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Progress, Provider } from '../interface.ts';
import { describeCallbacks } from './callbacks.ts';
import { type Counterpart, type Reply, startCounterpart } from './counterpart.ts';
import { type Subject, secrets, submissionOf } from './subject.ts';

const html: Reply = { status: 200, text: '<html><h1>It works!</h1></html>' };

/** What every adapter promises, tried against a counterpart that speaks its wire format over real HTTP. */
export function describeConformance(subject: Subject): void {
  let counterpart: Counterpart;
  let provider: Provider;
  const never = new AbortController().signal;

  beforeEach(async () => {
    counterpart = await startCounterpart();
    provider = subject.create({ baseUrl: counterpart.baseUrl, apiKey: secrets.apiKey, settings: {} });
  });

  afterEach(async () => {
    provider.close();
    await counterpart.close();
  });

  const submit = (part = {}) => provider.submit(submissionOf(subject, part), never);
  const idOf = () => provider.handleFor(submissionOf(subject))?.externalId ?? '';

  describe(`${subject.name}: submit`, () => {
    it('gives the outcome of a run that ends in the answer', async () => {
      counterpart.reply(subject.success(idOf()));
      expect(await submit()).toMatchObject({ state: 'ended', outcome: { ok: true, ...subject.outcome } });
      expect(counterpart.received).toHaveLength(1);
    });

    it('shows the key of its connection, and only where there is one', async () => {
      counterpart.reply(subject.success(idOf()));
      await submit();
      const keyless = subject.create({ baseUrl: counterpart.baseUrl, apiKey: null, settings: {} });
      await keyless.submit(submissionOf(subject), never);
      keyless.close();
      expect(counterpart.received.map(({ headers }) => headers.authorization)).toEqual([
        `Bearer ${secrets.apiKey}`,
        undefined,
      ]);
    });

    it.each(subject.failures)('maps $name to $code, $state', async ({ reply, state, code, says }) => {
      counterpart.reply(reply);
      const progress = await submit();
      expect(progress).toMatchObject({ state, outcome: { ok: false, code } });
      expect(counterpart.received).toHaveLength(1);
      expectNothingLeaks(progress);
      if (says) expect(messageOf(progress)).toMatch(says);
    });

    it.each(subject.empty)('an answer without a result is a failure: %j', async (reply) => {
      counterpart.reply(reply);
      expect(await submit()).toMatchObject({
        state: 'ended',
        outcome: { ok: false, code: 'GENERATION_FAILED' },
      });
    });

    it('a page of HTML is no result', async () => {
      counterpart.reply(html);
      expect(await submit()).toMatchObject({
        state: 'ended',
        outcome: { ok: false, code: 'GENERATION_FAILED' },
      });
    });

    it('tells how long to wait when the server does', async () => {
      counterpart.reply({ status: 429, headers: { 'retry-after': '7' } });
      expect(await submit()).toMatchObject({ state: 'refused', retryAfterMs: 7000 });
    });
  });

  describe(`${subject.name}: trouble on the wire`, () => {
    it('nobody listening: certainly not accepted', async () => {
      await counterpart.close();
      expect(await submit()).toMatchObject({ state: 'refused', outcome: { code: 'MODEL_UNAVAILABLE' } });
    });

    it('no answer in time: nobody knows', async () => {
      counterpart.reply('silence');
      const progress = await submit({ timeoutMs: 150 });
      expect(progress).toMatchObject({ state: 'unknown', outcome: { code: 'GENERATION_TIMEOUT' } });
    });

    it.each(['reset', 'half a body'] as const)('%s: nobody knows', async (reply) => {
      counterpart.reply(reply);
      const progress = await submit();
      expect(progress).toMatchObject({ state: 'unknown', outcome: { code: 'MODEL_UNAVAILABLE' } });
      expect(counterpart.received).toHaveLength(1);
      expectNothingLeaks(progress);
    });

    it('lets go of the socket when it is aborted', async () => {
      counterpart.reply('silence');
      const abort = new AbortController();
      const running = provider.submit(submissionOf(subject), abort.signal);
      await until(() => counterpart.received.length === 1);
      abort.abort();
      expect(await running).toMatchObject({ state: 'unknown', outcome: { ok: false } });
      await counterpart.hungUp;
    });
  });

  describe(`${subject.name}: recover`, () => {
    it(subject.isIdempotent ? 'asks again with the same id' : 'never sends twice', async () => {
      counterpart.reply('reset', subject.success(idOf()));
      await submit();
      const recovered = await provider.recover(submissionOf(subject), never);
      const [first, second] = counterpart.received;
      expect(recovered.state).toBe(subject.isIdempotent ? 'ended' : 'unknown');
      expect(second?.path).toBe(subject.isIdempotent ? first?.path : undefined);
    });
  });

  describe(`${subject.name}: cancel`, () => {
    it('does not throw, whatever the server says or does', async () => {
      const handle = provider.handleFor(submissionOf(subject)) ?? { externalId: 'x' };
      for (const reply of [{ status: 404 }, { status: 500 }, 'reset', html] satisfies Reply[]) {
        counterpart.reply(reply);
        await provider.cancel(handle, never);
      }
      await counterpart.close();
      await expect(provider.cancel(handle, never)).resolves.toBeUndefined();
    });
  });

  describeCallbacks(subject, () => ({ counterpart, provider }));

  function expectNothingLeaks(progress: Progress): void {
    const message = messageOf(progress);
    const forbidden = [
      ...Object.values(secrets),
      new URL(counterpart.baseUrl).host,
      '127.0.0.1',
      subject.name,
    ];
    for (const word of forbidden) expect(message.toLowerCase()).not.toContain(word.toLowerCase());
    expect(message.trim()).not.toBe('');
    expect(message).not.toMatch(/https?:|\n/);
  }
}

function messageOf(progress: Progress): string {
  return 'outcome' in progress && !progress.outcome.ok ? progress.outcome.message : '';
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
