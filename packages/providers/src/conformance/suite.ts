import { describe, expect, it } from '@jest/globals';
import { describeAsyncRuns } from './asyncRuns.ts';
import { describeBadRequests } from './badRequests.ts';
import { describeCallbacks } from './callbacks.ts';
import type { Reply } from './fakeServer.ts';
import { describeNetworkFailures } from './networkFailures.ts';
import { describeRecovery, submits } from './recovery.ts';
import { adapterOf, expectNothingLeaks, messageOf, neverAborted, rawOf, setupForEachTest } from './setup.ts';
import { describeStreaming } from './streaming.ts';
import { runOf, type Subject, type SubjectFailure, secrets, submissionOf } from './subject.ts';

const endless = 'x'.repeat(100_000);
/** Any recursion without a limit overflows the stack of Node. */
const nested = '['.repeat(20_000) + ']'.repeat(20_000);
/** Nested in every place that an adapter reads. */
const deep: Reply = {
  status: 200,
  text: `{"id":"x","status":"succeeded","output":${nested},"error":${nested},"choices":[{"message":{"content":${nested}}}]}`,
};
const html: Reply = { status: 200, text: '<html><h1>It works!</h1></html>' };

/** The contract of every adapter, tested over real HTTP against a fake server with its wire format. */
export function describeConformance(subject: Subject): void {
  const setup = setupForEachTest(subject);
  const { success } = subject;
  const submit = (part = {}) => setup().provider.submit(submissionOf(subject, part), neverAborted);

  describe(`${subject.name}: submit`, () => {
    if (success) {
      it('returns the outcome of a run that ends in the response', async () => {
        const { provider, fakeServer } = setup();
        fakeServer.reply(success(runOf(provider, submissionOf(subject), fakeServer.baseUrl).id));
        expect(await submit()).toMatchObject({ state: 'ended', outcome: { ok: true, ...subject.outcome } });
        expect(fakeServer.received).toHaveLength(1);
      });
    }

    it('sends the key of its connection, if there is one', async () => {
      const { fakeServer } = setup();
      fakeServer.reply(html);
      await submit();
      const keyless = adapterOf(subject, fakeServer, null);
      await keyless.submit(submissionOf(subject), neverAborted);
      keyless.close();
      expect(fakeServer.received.map(({ headers }) => headers.authorization)).toEqual([
        subject.authorization?.(secrets.apiKey) ?? `Bearer ${secrets.apiKey}`,
        undefined,
      ]);
    });

    it.each(subject.failures)('maps $name to $code, $state', async (failure) => {
      const { fakeServer } = setup();
      const { reply, state, code, says, alerts, retryAfterMs = expect.any(Number) } = failure;
      fakeServer.reply(reply);
      const progress = await submit();
      expect(progress).toMatchObject({
        state,
        outcome: { ok: false, code },
        ...(state === 'refused' && { retryAfterMs }),
        ...(alerts && { alert: expect.stringMatching(/./) }),
      });
      if (state === 'refused') expect('isBusy' in progress).toBe(isBusy(failure));
      expect(submits(fakeServer)).toHaveLength(1);
      expectNothingLeaks(progress, subject, setup());
      if (says) expect(messageOf(progress)).toMatch(says);
      expect(rawOf(progress)).toMatch(/./);
      expect(rawOf(progress)).not.toContain(secrets.apiKey);
    });

    it.each([...subject.empty, html])('fails on a response without a result: %j', async (reply) => {
      setup().fakeServer.reply(reply);
      const progress = await submit();
      expect(progress).toMatchObject({
        state: expect.stringMatching(/^(ended|unknown)$/),
        outcome: { ok: false, code: 'GENERATION_FAILED' },
      });
      expectNothingLeaks(progress, subject, setup());
    });

    it('survives a deeply nested response', async () => {
      setup().fakeServer.reply(deep);
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
    ])('cuts endless texts of a server (%#)', async (reply) => {
      setup().fakeServer.reply(reply);
      expect(JSON.stringify(await submit()).length).toBeLessThan(20_000);
    });

    it('returns the time to wait that the server requests', async () => {
      setup().fakeServer.reply({ status: 429, headers: { 'retry-after': '7' } });
      expect(await submit()).toMatchObject({ state: 'refused', retryAfterMs: 7000, isBusy: true });
    });
  });

  describeBadRequests(subject, setup);

  describeNetworkFailures(subject, setup);
  describeRecovery(subject, setup);
  describeAsyncRuns(subject, setup);
  describeCallbacks(subject, setup);
  describeStreaming(subject, setup);
}

function isBusy({ reply, retryAfterMs, busy }: SubjectFailure): boolean {
  const status = typeof reply === 'object' ? reply.status : null;
  return busy ?? (retryAfterMs !== null && (status === 429 || status === 503));
}
