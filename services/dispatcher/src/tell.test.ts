import { limits } from '@holdfast/domain/limits';
import { describe, expect, it } from '@jest/globals';
import { newLog } from './tell.ts';

const secrets = { baseUrl: 'https://api.example.com', apiKey: 'r8_abcdefghij', providerModel: 'acme/model' };

describe('what is new in a log', () => {
  it('is passed on by whole lines, and once', () => {
    const first = newLog('one\ntwo\nthr', 0, false, secrets);
    expect(first).toEqual({ logs: 'one\ntwo\n', logged: 8 });
    expect(newLog('one\ntwo\nthr', first.logged, false, secrets)).toEqual({ logs: '', logged: 8 });
    expect(newLog('one\ntwo\nthree\n', first.logged, false, secrets)).toEqual({
      logs: 'three\n',
      logged: 14,
    });
  });

  it('ends with its last line when the run has ended', () => {
    expect(newLog('one\ntwo', 4, true, secrets)).toEqual({ logs: 'two\n', logged: 7 });
    expect(newLog('', 0, true, secrets)).toEqual({ logs: '', logged: 0 });
  });

  it('names no provider, key or host', () => {
    const { logs } = newLog(
      'GET https://api.example.com/v1 with r8_abcdefghij for acme/model\n',
      0,
      false,
      secrets,
    );
    expect(logs).not.toMatch(/example|r8_|acme/);
    expect(logs.split('\n')).toHaveLength(2);
  });

  it('of a flood is its end alone', () => {
    const flood = 'x'.repeat(99).concat('\n').repeat(2000);
    const { logs, logged } = newLog(flood, 0, false, secrets);
    expect(logged).toBe(flood.length);
    expect(logs.length).toBeLessThanOrEqual(limits.logLength + 1);
  });
});
