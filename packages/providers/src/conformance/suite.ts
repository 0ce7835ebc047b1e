import { describe, expect, it } from '@jest/globals';
import { describeBadRequests } from './badRequests.ts';
import { describeCallbacks } from './callbacks.ts';
import type { Reply } from './counterpart.ts';
import { describeLater } from './later.ts';
import { adapterOf, eachWithParties, expectNothingLeaks, messageOf, never, rawOf, until } from './parties.ts';
import { describeRecovery, submits } from './recovery.ts';
import { runOf, type Subject, type SubjectFailure, secrets, submissionOf } from './subject.ts';

const endless = 'x'.repeat(1_000_000);
const nested = '['.repeat(100_000) + ']'.repeat(100_000);
/** In every place that some adapter reads. */
const deep: Reply = {
  status: 200,
  text: `{"id":"x","status":"succeeded","output":${nested},"error":${nested},"choices":[{"message":{"content":${nested}}}]}`,
};
const html: Reply = { status: 200, text: '<html><h1>It works!</h1></html>' };

/** What every adapter promises, tried against a counterpart that speaks its wire format over real HTTP. */
export function describeConformance(subject: Subject): void {
  const parties = eachWithParties(subject);
  const { success } = subject;
  const submit = (part = {}) => parties().provider.submit(submissionOf(subject, part), never);

  describe(`${subject.name}: submit`, () => {
    if (success) {
      it('gives the outcome of a run that ends in the answer', async () => {
        const { provider, counterpart } = parties();
        counterpart.reply(success(runOf(provider, submissionOf(subject), counterpart.baseUrl).id));
        expect(await submit()).toMatchObject({ state: 'ended', outcome: { ok: true, ...subject.outcome } });
        expect(counterpart.received).toHaveLength(1);
      });
    }

    it('shows the key of its connection, and only where there is one', async () => {
      const { counterpart } = parties();
      counterpart.reply(html);
      await submit();
      const keyless = adapterOf(subject, counterpart, null);
      await keyless.submit(submissionOf(subject), never);
      keyless.close();
      expect(counterpart.received.map(({ headers }) => headers.authorization)).toEqual([
        subject.authorization?.(secrets.apiKey) ?? `Bearer ${secrets.apiKey}`,
        undefined,
      ]);
    });

    it.each(subject.failures)('maps $name to $code, $state', async (failure) => {
      const { counterpart } = parties();
      const { reply, state, code, says, alerts, retryAfterMs = expect.any(Number) } = failure;
      counterpart.reply(reply);
      const progress = await submit();
      expect(progress).toMatchObject({
        state,
        outcome: { ok: false, code },
        ...(state === 'refused' && { retryAfterMs }),
        ...(alerts && { alert: expect.stringMatching(/./) }),
      });
      if (state === 'refused') expect('isBusy' in progress).toBe(isBusy(failure));
      expect(submits(counterpart)).toHaveLength(1);
      expectNothingLeaks(progress, subject, parties());
      if (says) expect(messageOf(progress)).toMatch(says);
      expect(rawOf(progress)).toMatch(/./);
      expect(rawOf(progress)).not.toContain(secrets.apiKey);
    });

    it.each([...subject.empty, html])('an answer without a result is a failure: %j', async (reply) => {
      parties().counterpart.reply(reply);
      const progress = await submit();
      expect(progress).toMatchObject({
        state: expect.stringMatching(/^(ended|unknown)$/),
        outcome: { ok: false, code: 'GENERATION_FAILED' },
      });
      expectNothingLeaks(progress, subject, parties());
    });

    it('an answer nested to break its readers breaks none', async () => {
      parties().counterpart.reply(deep);
      expect(await submit()).toMatchObject({
        state: expect.stringMatching(/^(ended|unknown)$/),
        outcome: { ok: false, code: 'GENERATION_FAILED' },
      });
    });

    it.each([
      { status: 401, json: { error: { code: endless, type: endless, message: endless }, detail: endless } },
      { status: 422, json: { error: { message: endless }, detail: endless } },
      { status: 200, json: { id: endless, request_id: endless, status: 'queued' } },
      { status: 201, json: { id: endless, request_id: endless, status: 'processing', logs: '' } },
    ])('what a server says without end is cut (%#)', async (reply) => {
      parties().counterpart.reply(reply);
      expect(JSON.stringify(await submit()).length).toBeLessThan(20_000);
    });

    it('tells how long to wait when the server does', async () => {
      parties().counterpart.reply({ status: 429, headers: { 'retry-after': '7' } });
      expect(await submit()).toMatchObject({ state: 'refused', retryAfterMs: 7000, isBusy: true });
    });
  });

  describeBadRequests(subject, parties);

  describe(`${subject.name}: trouble on the wire`, () => {
    it('no listener: certainly not accepted', async () => {
      await parties().counterpart.close();
      expect(await submit()).toMatchObject({ state: 'refused', outcome: { code: 'MODEL_UNAVAILABLE' } });
    });

    it('no response in time: the outcome is unknown', async () => {
      parties().counterpart.reply('silence');
      const progress = await submit({ timeoutMs: 150 });
      expect(progress).toMatchObject({ state: 'unknown', outcome: { code: 'GENERATION_TIMEOUT' } });
    });

    it.each(['reset', 'half a body'] as const)('%s: the outcome is unknown', async (reply) => {
      const { counterpart } = parties();
      counterpart.reply(reply);
      const progress = await submit();
      expect(progress).toMatchObject({ state: 'unknown', outcome: { code: 'GENERATION_FAILED' } });
      expect(counterpart.received).toHaveLength(1);
      expectNothingLeaks(progress, subject, parties());
    });

    it('lets go of the socket when it is aborted', async () => {
      const { counterpart, provider } = parties();
      counterpart.reply('silence');
      const abort = new AbortController();
      const running = provider.submit(submissionOf(subject), abort.signal);
      await until(() => counterpart.received.length === 1);
      abort.abort();
      expect(await running).toMatchObject({ state: 'unknown', outcome: { ok: false } });
      await counterpart.hungUp;
    });
  });

  describeRecovery(subject, parties);
  describeLater(subject, parties);
  describeCallbacks(subject, parties);
}

function isBusy({ reply, retryAfterMs, busy }: SubjectFailure): boolean {
  const status = typeof reply === 'object' ? reply.status : null;
  return busy ?? (retryAfterMs !== null && (status === 429 || status === 503));
}
