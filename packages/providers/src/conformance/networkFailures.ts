import { describe, expect, it } from '@jest/globals';
import { expectNothingLeaks, neverAborted, type TestSetup, until } from './setup.ts';
import { type Subject, submissionOf } from './subject.ts';

export function describeNetworkFailures(subject: Subject, setup: () => TestSetup): void {
  const submit = (part = {}) => setup().provider.submit(submissionOf(subject, part), neverAborted);

  describe(`${subject.name}: a network failure`, () => {
    it('is a refusal when the port refuses connections', async () => {
      await setup().fakeServer.close();
      expect(await submit()).toMatchObject({ state: 'refused', outcome: { code: 'MODEL_UNAVAILABLE' } });
    });

    it('leaves the outcome unknown when there is no response in time', async () => {
      setup().fakeServer.reply('silence');
      const progress = await submit({ timeoutMs: 150 });
      expect(progress).toMatchObject({ state: 'unknown', outcome: { code: 'GENERATION_TIMEOUT' } });
    });

    it.each(['reset', 'half a body'] as const)('leaves the outcome unknown on: %s', async (reply) => {
      const { fakeServer } = setup();
      fakeServer.reply(reply);
      const progress = await submit();
      expect(progress).toMatchObject({ state: 'unknown', outcome: { code: 'GENERATION_FAILED' } });
      expect(fakeServer.received).toHaveLength(1);
      expectNothingLeaks(progress, subject, setup());
    });

    it('closes the socket when the submit is aborted', async () => {
      const { fakeServer, provider } = setup();
      fakeServer.reply('silence');
      const abort = new AbortController();
      const running = provider.submit(submissionOf(subject), abort.signal);
      await until(() => fakeServer.received.length === 1);
      abort.abort();
      expect(await running).toMatchObject({ state: 'unknown', outcome: { ok: false } });
      await fakeServer.hungUp;
    });
  });
}
