import type { Failure } from '@holdfast/domain/outcome';
import type { Progress, Provider, Submission } from '@holdfast/providers/interface';
import { describe, expect, it } from '@jest/globals';
import type { Route } from './route.ts';
import type { Stream } from './streams.ts';
import { type Attempt, callProvider, submit } from './submission.ts';

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
  startedAtMs: 0,
  parts: [],
  options: {},
  mode: 'sync',
  mapping: { output: { kind: 'text' }, errors: [] },
  callbackUrl: null,
  timeoutMs: 10_000,
};

/** A provider with these results in turn (the last one for ever), and its calls. */
function scripted(results: { submit?: Progress[]; recover?: Progress[] }) {
  const calls: string[] = [];
  const next = (how: 'submit' | 'recover') => async (): Promise<Progress> => {
    calls.push(how);
    const left = results[how] ?? [];
    return (left.length > 1 ? left.shift() : left[0]) ?? unknown;
  };
  const provider = { submit: next('submit'), recover: next('recover') } as unknown as Provider;
  return { provider, calls };
}

const { signal } = new AbortController();

describe('a call to a provider', () => {
  it('returns a clear refusal at once', async () => {
    const { provider, calls } = scripted({ submit: [refused] });
    expect(await callProvider(provider, submission, 'submit', signal)).toBe(refused);
    expect(calls).toEqual(['submit']);
  });

  it('recovers a run that may have been accepted, and never submits it twice', async () => {
    const { provider, calls } = scripted({ submit: [unknown], recover: [ended] });
    expect(await callProvider(provider, submission, 'submit', signal)).toBe(ended);
    expect(calls).toEqual(['submit', 'recover']);
  });

  it('returns the first error when recovery shows nothing more', async () => {
    const { provider, calls } = scripted({
      submit: [unknown],
      recover: [{ ...unknown, outcome: failure('later') }],
    });
    expect(await callProvider(provider, submission, 'submit', signal)).toBe(unknown);
    expect(calls).toEqual(['submit', 'recover']);
  });

  it('returns the refusal of a provider that never had the run', async () => {
    const { provider } = scripted({ submit: [unknown], recover: [refused] });
    expect(await callProvider(provider, submission, 'submit', signal)).toBe(refused);
  });

  it('survives a restart of a provider that drops the response and then refuses for a while', async () => {
    const { provider, calls } = scripted({ submit: [unknown], recover: [busy, busy, ended] });
    expect(await callProvider(provider, submission, 'submit', signal, [1, 1, 1])).toBe(ended);
    expect(calls).toEqual(['submit', 'recover', 'recover', 'recover']);
  });

  it('does not take a refusal as final while the provider may have the run', async () => {
    const { provider, calls } = scripted({ recover: [busy] });
    expect(await callProvider(provider, submission, 'recover', signal, [1, 1])).toMatchObject({
      state: 'unknown',
    });
    expect(calls).toEqual(['recover', 'recover', 'recover']);
  });

  it('does not wait for a busy provider, even one that may have the run', async () => {
    const full: Progress = { ...refused, mayHaveRun: true, isBusy: true };
    const { provider, calls } = scripted({ recover: [full] });
    expect(await callProvider(provider, submission, 'recover', signal)).toBe(full);
    expect(calls).toEqual(['recover']);
  });

  it('keeps a provider busy that said so before it turned out not to have the run', async () => {
    const { provider } = scripted({ submit: [{ ...unknown, isBusy: true }], recover: [refused] });
    expect(await callProvider(provider, submission, 'submit', signal)).toEqual({ ...refused, isBusy: true });
  });

  it('starts with recovery for a run that was taken over', async () => {
    const { provider, calls } = scripted({ recover: [ended] });
    expect(await callProvider(provider, submission, 'recover', signal)).toBe(ended);
    expect(calls).toEqual(['recover']);
  });

  it('ends at once when it is aborted', async () => {
    const controller = new AbortController();
    const { provider, calls } = scripted({ recover: [busy] });
    const call = callProvider(provider, submission, 'recover', controller.signal, [5000]);
    controller.abort('shutting down');
    await call;
    expect(calls).toEqual(['recover']);
  });
});

describe('a stream', () => {
  it.each([
    ['that breaks off counts against its provider', false, ['unknown']],
    ['that we stopped says nothing about its provider', true, []],
  ])('%s', async (_what, isStopped, counted) => {
    const { provider } = scripted({ submit: [unknown] });
    const route = {
      provider: { ...provider, handleFor: () => null },
      definition: { timeout_s: 60, output: { kind: 'text' }, errors: [], input_schema: { type: 'object' } },
      route: { model: 'model', options: {} },
    } as unknown as Route;
    const attempt = { input: {}, remainingMs: 1000 } as unknown as Attempt;
    const stop = isStopped ? AbortSignal.abort('closed') : signal;
    const stream = { sink: {}, stop } as unknown as Stream;
    const states: string[] = [];
    const slots = { called: (_run: unknown, { state }: Progress) => void states.push(state) };
    await submit(slots, route, attempt, { input: {}, parts: [] }, 'submit', signal, stream);
    expect(states).toEqual(counted);
  });
});
