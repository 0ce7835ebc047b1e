import { describe, expect, it } from '@jest/globals';
import type { Counterpart } from './counterpart.ts';
import { never, type Parties } from './parties.ts';
import { calledBack, type Recovery, type Run, runOf, type Subject, submissionOf } from './subject.ts';

/** What adapters promise when nobody knows whether a submit was accepted. */
export function describeRecovery(subject: Subject, parties: () => Parties): void {
  const { recovery, success } = subject;
  describe(`${subject.name}: recover`, () => {
    if (recovery === 'impossible') {
      it('never sends twice', async () => {
        const { counterpart, provider } = parties();
        counterpart.reply('reset');
        await provider.submit(submissionOf(subject), never);
        expect(await provider.recover(submissionOf(subject), never)).toMatchObject({ state: 'unknown' });
        expect(submits(counterpart)).toHaveLength(1);
      });
    } else if (recovery === 'submits again') {
      it('submits again with the same id', async () => {
        const { counterpart, provider } = parties();
        const submission = submissionOf(subject);
        const { id } = runOf(provider, submission, counterpart.baseUrl);
        counterpart.reply('reset', success?.(id) ?? 'reset');
        await provider.submit(submission, never);
        expect(await provider.recover(submission, never)).toMatchObject({ state: 'ended' });
        expect(submits(counterpart)).toHaveLength(2);
      });
    } else {
      describeAsking(subject, recovery, parties);
    }
  });
}

function describeAsking(subject: Subject, recovery: Recovery, parties: () => Parties): void {
  const submission = { ...calledBack(subject), ...recovery.submission };
  const recover = async (replies: (run: Run) => ReturnType<Recovery['absent']>) => {
    const { counterpart, provider } = parties();
    const run = runOf(provider, submission, counterpart.baseUrl);
    counterpart.reply('reset', ...replies(run));
    await provider.submit(submission, never);
    const progress = await provider.recover(submission, never);
    expect(submits(counterpart)).toHaveLength(1);
    return { progress, run };
  };

  it('joins the run that the lost submit has begun', async () => {
    const { progress, run } = await recover(recovery.running);
    expect(progress).toMatchObject({ state: 'running', handle: { externalId: run.id } });
  });

  it('takes the outcome of a run that has ended by now', async () => {
    const { progress } = await recover(recovery.ended);
    expect(progress).toMatchObject({ state: 'ended', outcome: { ok: true, ...subject.outcome } });
  });

  it('a submit that the provider knows nothing of was certainly not accepted', async () => {
    const { progress } = await recover(recovery.absent);
    expect(progress).toMatchObject({ state: 'refused', retryAfterMs: expect.any(Number) });
  });

  it.each([{ status: 500 }, { status: 401 }, 'reset', { status: 200, text: '<html>' }] as const)(
    'the outcome is unknown while the provider returns %j',
    async (reply) => {
      expect((await recover(() => [reply])).progress).toMatchObject({ state: 'unknown' });
    },
  );
}

/** The requests that are the submit, or the same once more. */
export function submits({ received }: Counterpart): Counterpart['received'] {
  const [first] = received;
  return received.filter(({ method, path }) => method === first?.method && path === first.path);
}
