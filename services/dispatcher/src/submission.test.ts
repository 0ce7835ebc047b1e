import type { Failure } from '@holdfast/domain/outcome';
import type { Progress, Provider, Submission } from '@holdfast/providers/interface';
import { describe, expect, it } from '@jest/globals';
import { callProvider } from './submission.ts';

type Refused = Extract<Progress, { state: 'refused' }>;

const failure = (message: string): Failure => ({ ok: false, code: 'MODEL_UNAVAILABLE', message });
const ended: Progress = { state: 'ended', outcome: failure('ended') };
const refused: Refused = { state: 'refused', retryAfterMs: 1, outcome: failure('refused') };
const busy: Progress = { ...refused, mayHaveRun: true };
const unknown: Progress = { state: 'unknown', outcome: failure('unknown') };

const submission: Submission = {
  executionId: 'exec',
  token: 'token',
  providerModel: 'model',
  input: {},
  begunAtMs: 0,
  parts: [],
  options: {},
  mode: 'sync',
  mapping: { output: { kind: 'text' }, errors: [] },
  callbackUrl: null,
  timeoutMs: 10_000,
};

/** A provider that gives these answers in turn (the last one for ever), and what it was asked. */
function scripted(answers: { submit?: Progress[]; recover?: Progress[] }) {
  const asked: string[] = [];
  const answer = (how: 'submit' | 'recover') => async (): Promise<Progress> => {
    asked.push(how);
    const left = answers[how] ?? [];
    return (left.length > 1 ? left.shift() : left[0]) ?? unknown;
  };
  const provider = { submit: answer('submit'), recover: answer('recover') } as unknown as Provider;
  return { provider, asked };
}

const { signal } = new AbortController();

describe('a conversation with a provider', () => {
  it('leaves a clear no to those who know of other providers', async () => {
    const { provider, asked } = scripted({ submit: [refused] });
    expect(await callProvider(provider, submission, 'submit', signal)).toBe(refused);
    expect(asked).toEqual(['submit']);
  });

  it('never submits again what may have been accepted: it asks what became of it', async () => {
    const { provider, asked } = scripted({ submit: [unknown], recover: [ended] });
    expect(await callProvider(provider, submission, 'submit', signal)).toBe(ended);
    expect(asked).toEqual(['submit', 'recover']);
  });

  it('says what it knew first when nothing more can be learned', async () => {
    const { provider, asked } = scripted({
      submit: [unknown],
      recover: [{ ...unknown, outcome: failure('later') }],
    });
    expect(await callProvider(provider, submission, 'submit', signal)).toBe(unknown);
    expect(asked).toEqual(['submit', 'recover']);
  });

  it('believes a provider that knows that it never had the run', async () => {
    const { provider } = scripted({ submit: [unknown], recover: [refused] });
    expect(await callProvider(provider, submission, 'submit', signal)).toBe(refused);
  });

  it('outlives a restart of a provider that lost the answer and then refuses for a while', async () => {
    const { provider, asked } = scripted({ submit: [unknown], recover: [busy, busy, ended] });
    expect(await callProvider(provider, submission, 'submit', signal, [1, 1, 1])).toBe(ended);
    expect(asked).toEqual(['submit', 'recover', 'recover', 'recover']);
  });

  it('takes no refusal for a no while what it sent before may have been accepted', async () => {
    const { provider, asked } = scripted({ recover: [busy] });
    expect(await callProvider(provider, submission, 'recover', signal, [1, 1])).toMatchObject({
      state: 'unknown',
    });
    expect(asked).toEqual(['recover', 'recover', 'recover']);
  });

  it('does not wait for who is busy, be it for the run that it may have', async () => {
    const full: Progress = { ...refused, mayHaveRun: true, isBusy: true };
    const { provider, asked } = scripted({ recover: [full] });
    expect(await callProvider(provider, submission, 'recover', signal)).toBe(full);
    expect(asked).toEqual(['recover']);
  });

  it('knows a provider as busy that said so before it turned out that it has not got the run', async () => {
    const { provider } = scripted({ submit: [{ ...unknown, isBusy: true }], recover: [refused] });
    expect(await callProvider(provider, submission, 'submit', signal)).toEqual({ ...refused, isBusy: true });
  });

  it('opens a run that was taken over by asking', async () => {
    const { provider, asked } = scripted({ recover: [ended] });
    expect(await callProvider(provider, submission, 'recover', signal)).toBe(ended);
    expect(asked).toEqual(['recover']);
  });

  it('ends at once when it is let go of', async () => {
    const controller = new AbortController();
    const { provider, asked } = scripted({ recover: [busy] });
    const conversation = callProvider(provider, submission, 'recover', controller.signal, [5000]);
    controller.abort('shutting down');
    await conversation;
    expect(asked).toEqual(['recover']);
  });
});
