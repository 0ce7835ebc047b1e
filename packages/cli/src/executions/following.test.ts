import { describe, expect, it } from '@jest/globals';
import type { Context } from '../command.ts';
import { RefusedError } from '../errors.ts';
import { type Following, newLog, poll } from './following.ts';

describe('the client that polls the admin API', () => {
  const reports: string[] = [];
  const context = { report: (line: string) => void reports.push(line) } as Context;
  const { signal } = new AbortController();
  const following = { context, everyMs: 1, signal, json: false } as Following;
  /** Returns or throws each in turn. */
  const responding = (...responses: (number | Error)[]) => {
    return async () => {
      const next = responses.shift();
      if (next instanceof Error) throw next;
      return next ?? 0;
    };
  };
  const take = (response: number) => (response === 9 ? 7 : null);

  it('continues after the admin API was unavailable for a while', async () => {
    expect(await poll(following, responding(1, new Error('unavailable.'), 9), take, 1)).toBe(7);
    expect(reports).toEqual(['holdfast: unavailable. Retrying.']);
  });

  it('fails when the first request gets no response, or when one is refused', async () => {
    await expect(poll(following, responding(new Error('unavailable')), take, 1)).rejects.toThrow(
      'unavailable',
    );
    const refused = responding(1, new RefusedError('no such execution'));
    await expect(poll(following, refused, take, 1)).rejects.toThrow('no such');
  });

  it('ends when it is interrupted', async () => {
    const interrupted = { ...following, signal: AbortSignal.abort() };
    expect(await poll(interrupted, responding(1), take, 130)).toBe(130);
  });
});

describe('the new part of a log', () => {
  it('follows the part that was printed, also when the beginning of the log was cut', () => {
    expect(newLog('', 'one\n')).toBe('one\n');
    expect(newLog('one\n', 'one\ntwo\n')).toBe('two\n');
    expect(newLog('one\ntwo\n', 'one\ntwo\n')).toBe('');
    const long = `${'x'.repeat(300)}end\n`;
    expect(newLog(`first\n${long}`, `${long}new\n`)).toBe('new\n');
    expect(newLog('one\n', 'other\n')).toBe('other\n');
  });
});
