import type { Handle, Progress, Provider, Submission } from '@holdfast/providers/interface';
import { describe, expect, it } from '@jest/globals';
import { runOnce } from './run.ts';

const outcome = {
  ok: true,
  output: { text: 'a' },
  usage: { inputTokens: 0, outputTokens: 0 },
  measured: {},
} as const;
const ended: Progress = { state: 'ended', outcome };
const no = { ok: false, code: 'MODEL_OVERLOADED', message: 'Busy.' } as const;
const running = (reports: object = {}): Progress => ({
  state: 'running',
  handle: { externalId: 'r1' },
  by: 'poll',
  pollAfterMs: 1,
  ...reports,
});

/** A provider that returns these in turn, and the last one forever. */
function saying(submits: Progress[], polls: Progress[] = [ended]) {
  const cancelled: Handle[] = [];
  const calls: string[] = [];
  const next = (list: Progress[], how: string) => async () => {
    calls.push(how);
    return (list.length > 1 ? list.shift() : list[0]) ?? ended;
  };
  const provider: Provider = {
    name: 'fake',
    submit: next(submits, 'submit'),
    poll: next(polls, 'poll'),
    recover: next(submits, 'recover'),
    cancel: async (handle) => void cancelled.push(handle),
    handleFor: () => null,
    readCallback: async () => null,
    close: () => undefined,
  };
  return { provider, cancelled, calls };
}

const submission = (timeoutMs: number): Submission => ({
  executionId: 'exec_1',
  token: 't',
  startedAtMs: 0,
  providerModel: 'm',
  input: {},
  parts: [],
  options: {},
  mode: 'poll',
  mapping: { output: { kind: 'text' }, errors: [] },
  callbackUrl: null,
  timeoutMs,
});

async function run(
  fake: ReturnType<typeof saying>,
  { timeoutMs = 60_000, signal = new AbortController().signal } = {},
) {
  const reports: string[] = [];
  const end = await runOnce(fake.provider, submission(timeoutMs), signal, (line) => reports.push(line));
  return { end, reports };
}

describe('runOnce', () => {
  it('reports each step until the end once', async () => {
    const polls = [
      running({ queuePosition: 2 }),
      running({ queuePosition: 2 }),
      running({ progress: 0.5, logs: 'one\n' }),
      running({ progress: 0.5, logs: 'one\ntwo\n' }),
      { ...ended, logs: 'one\ntwo\nthree\n' },
    ];
    const { end, reports } = await run(saying([running()], polls));
    expect(end).toMatchObject({ state: 'ended', outcome });
    expect(reports).toEqual([
      'submitted',
      'accepted as r1',
      "running: place 3 in the provider's queue",
      'running: 50 %',
      '  | one',
      '  | two',
      '  | three',
    ]);
  });

  it('retries a refused run, three times in all', async () => {
    const later: Progress = { state: 'refused', retryAfterMs: 1, outcome: no };
    const soon = saying([later, ended]);
    expect((await run(soon)).end.state).toBe('ended');
    expect(soon.calls).toEqual(['submit', 'submit']);
    const never = saying([later]);
    expect((await run(never)).end.state).toBe('refused');
    expect(never.calls).toHaveLength(3);
    const final = saying([{ ...later, retryAfterMs: null }]);
    expect((await run(final)).end.state).toBe('refused');
    expect(final.calls).toHaveLength(1);
  });

  it('recovers a run whose response was lost, and never submits it twice', async () => {
    const lost: Progress = { state: 'unknown', outcome: { ...no, code: 'GENERATION_FAILED' } };
    const joined = saying([lost, running()]);
    expect((await run(joined)).end.state).toBe('ended');
    expect(joined.calls).toEqual(['submit', 'recover', 'poll']);
    const gone = saying([lost]);
    expect((await run(gone)).end).toEqual(lost);
    expect(gone.calls).toEqual(['submit', 'recover']);
  });

  it('cancels at the provider when its time is over', async () => {
    const fake = saying([running()], [running()]);
    const { end } = await run(fake, { timeoutMs: 30 });
    expect(end).toEqual({ state: 'stopped', reason: 'timeout', wasCancelled: true });
    expect(fake.cancelled).toEqual([{ externalId: 'r1' }]);
  });

  it('says that there was nothing to cancel', async () => {
    const signal = AbortSignal.abort();
    const fake = saying([{ state: 'unknown', outcome: no }]);
    const { end } = await run(fake, { signal });
    expect(end).toEqual({ state: 'stopped', reason: 'interrupted', wasCancelled: false });
    expect(fake.calls).toEqual(['submit']);
  });
});
