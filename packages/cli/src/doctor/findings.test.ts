import { describe, expect, it } from '@jest/globals';
import { clockFinding } from './findings.ts';

describe('the clock of a server', () => {
  const askedMs = { from: 100_000, to: 101_000 };

  it.each([
    [99_000, 'ok', '1.0 s'],
    [100_500, 'ok', '0.0 s'],
    [97_000, 'warning', '3.0 s'],
    [106_000, 'warning', '5.0 s'],
    [60_000, 'error', '40 s'],
    [161_000, 'error', '60 s'],
  ])('at %i ms, asked between 100,000 and 101,000, is %s: %s apart', (timeMs, state, apart) => {
    const finding = clockFinding('clock of redis', { timeMs, askedMs });
    expect(finding).toMatchObject({ state, found: `${apart} apart from this machine's` });
    expect(finding.fix === undefined).toBe(state === 'ok');
  });
});
