import { limits } from '@holdfast/domain/limits';
import { describe, expect, it } from '@jest/globals';
import { newLog, secretsOf, storable } from './progress.ts';

const secrets = { baseUrl: 'https://api.example.com', apiKey: 'r8_abcdefghij' };

describe('a log', () => {
  it('is recorded in whole lines, each once', () => {
    const first = newLog('one\ntwo\nthr', 0, false, secrets);
    expect(first).toEqual({ logs: 'one\ntwo\n', logged: 8 });
    expect(newLog('one\ntwo\nthr', first.logged, false, secrets)).toEqual({ logs: '', logged: 8 });
    expect(newLog('one\ntwo\nthree\n', first.logged, false, secrets)).toEqual({
      logs: 'three\n',
      logged: 14,
    });
  });

  it('is recorded up to its last line when the run has ended', () => {
    expect(newLog('one\ntwo', 4, true, secrets)).toEqual({ logs: 'two\n', logged: 7 });
    expect(newLog('', 0, true, secrets)).toEqual({ logs: '', logged: 0 });
  });

  it('is recorded without our keys', () => {
    const { logs } = newLog('the colour azure, asked for with r8_abcdefghij\n', 0, false, secrets);
    expect(logs).toBe('the colour azure, asked for with [key]\n');
  });

  it('is cut to its end when it is too long', () => {
    const flood = 'x'.repeat(99).concat('\n').repeat(2000);
    const { logs, logged } = newLog(flood, 0, false, secrets);
    expect(logged).toBe(flood.length);
    expect(logs.length).toBeLessThanOrEqual(limits.logLength + 1);
  });
});

describe('the secrets of a log', () => {
  it('include the settings of the connection and the token of the attempt', () => {
    const settings = { TOKEN: 'operator-token', DELAY: '20' };
    const connection = { baseUrl: 'http://gpu:5000', apiKey: null, settings };
    const own = secretsOf({ connection }, { attemptToken: 'tok-of-attempt' });
    const { logs } = newLog('X-Token: operator-token, job tok-of-attempt in 20 s\n', 0, false, own);
    expect(logs).toBe('X-Token: [key], job [key] in 20 s\n');
  });
});

describe('figures of a provider', () => {
  it.each([
    [
      { progress: 1e-50, queuePosition: 1e300 },
      { progress: 0, queuePosition: 2_147_483_647 },
    ],
    [
      { progress: Number.POSITIVE_INFINITY, queuePosition: -3 },
      { progress: 1, queuePosition: 0 },
    ],
    [
      { progress: Number.NaN, queuePosition: Number.NaN },
      { progress: null, queuePosition: null },
    ],
    [{ progress: 0.35 }, { progress: 0.35, queuePosition: null }],
  ])('%j are stored in the range of their columns', (reported, stored) => {
    expect(storable(reported)).toEqual(stored);
  });
});
