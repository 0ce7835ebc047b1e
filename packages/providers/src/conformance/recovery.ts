import { describe, expect, it } from '@jest/globals';
import type { FakeServer } from './fakeServer.ts';
import { neverAborted, type TestSetup } from './setup.ts';
import { callbackSubmission, type Recovery, type Run, runOf, type Subject, submissionOf } from './subject.ts';

/** The contract for submits that may have been accepted. */
export function describeRecovery(subject: Subject, setup: () => TestSetup): void {
  const { recovery, success } = subject;
  describe(`${subject.name}: recover`, () => {
    if (recovery === 'impossible') {
      it('never submits twice', async () => {
        const { fakeServer, provider } = setup();
        fakeServer.reply('reset');
        await provider.submit(submissionOf(subject), neverAborted);
        expect(await provider.recover(submissionOf(subject), neverAborted)).toMatchObject({
          state: 'unknown',
        });
        expect(submits(fakeServer)).toHaveLength(1);
      });
    } else if (recovery === 'submits again') {
      it('submits again with the same id', async () => {
        const { fakeServer, provider } = setup();
        const submission = submissionOf(subject);
        const { id } = runOf(provider, submission, fakeServer.baseUrl);
        fakeServer.reply('reset', success?.(id) ?? 'reset');
        await provider.submit(submission, neverAborted);
        expect(await provider.recover(submission, neverAborted)).toMatchObject({ state: 'ended' });
        expect(submits(fakeServer)).toHaveLength(2);
      });
    } else {
      describeLookups(subject, recovery, setup);
    }
  });
}

function describeLookups(subject: Subject, recovery: Recovery, setup: () => TestSetup): void {
  const submission = { ...callbackSubmission(subject), ...recovery.submission };
  const recover = async (replies: (run: Run) => ReturnType<Recovery['absent']>) => {
    const { fakeServer, provider } = setup();
    const run = runOf(provider, submission, fakeServer.baseUrl);
    fakeServer.reply('reset', ...replies(run));
    await provider.submit(submission, neverAborted);
    const progress = await provider.recover(submission, neverAborted);
    expect(submits(fakeServer)).toHaveLength(1);
    return { progress, run };
  };

  it('finds the run that the lost submit has started', async () => {
    const { progress, run } = await recover(recovery.running);
    expect(progress).toMatchObject({ state: 'running', handle: { externalId: run.id } });
  });

  it('returns the outcome of a run that has ended meanwhile', async () => {
    const { progress } = await recover(recovery.ended);
    expect(progress).toMatchObject({ state: 'ended', outcome: { ok: true, ...subject.outcome } });
  });

  it('returns a refusal if the provider does not know the run', async () => {
    const { progress } = await recover(recovery.absent);
    expect(progress).toMatchObject({ state: 'refused', retryAfterMs: expect.any(Number) });
  });

  it.each([{ status: 500 }, { status: 401 }, 'reset', { status: 200, text: '<html>' }] as const)(
    'leaves the outcome unknown while the provider returns %j',
    async (reply) => {
      expect((await recover(() => [reply])).progress).toMatchObject({ state: 'unknown' });
    },
  );
}

/** The requests that equal the submit. */
export function submits({ received }: FakeServer): FakeServer['received'] {
  const [first] = received;
  return received.filter(({ method, path }) => method === first?.method && path === first.path);
}
