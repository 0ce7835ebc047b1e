import { describe, expect, it } from '@jest/globals';
import { retryAfterS } from './retryAfter.ts';
import { nextDelayS } from './schedule.ts';

const nowMs = Date.parse('2026-01-01T00:00:00Z');

describe('Retry-After', () => {
  it.each([
    [undefined, 0],
    ['', 0],
    ['120', 120],
    ['999999', 3600],
    ['Thu, 01 Jan 2026 00:01:30 GMT', 90],
    ['Wed, 31 Dec 2025 23:00:00 GMT', 0],
    ['soon', 0],
    ['-5', 0],
    ['1e9', 0],
  ])('%s asks for %d seconds', (header, seconds) => {
    expect(retryAfterS(header, nowMs)).toBe(seconds);
  });
});

describe('the retry schedule', () => {
  const delaysS = [0, 30, 300, 3600, 21_600];
  const delay = (attempts: number, random: number, retryAfter = 0) =>
    nextDelayS({ attempts, delaysS, retryAfterS: retryAfter, random: () => random });

  it('waits 30 s, 5 min, 1 h and 6 h, and ends after the fifth attempt', () => {
    expect([1, 2, 3, 4, 5].map((attempts) => delay(attempts, 0.5))).toEqual([30, 300, 3600, 21_600, null]);
  });

  it('strays by 20 % at most', () => {
    expect(delay(2, 0)).toBe(240);
    expect(delay(2, 1)).toBeCloseTo(360);
  });

  it('is never earlier than the receiver asked', () => {
    expect(delay(1, 0.5, 100)).toBe(100);
    expect(delay(2, 0.5, 100)).toBe(300);
  });
});
