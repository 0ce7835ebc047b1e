import { expect, it } from '@jest/globals';
import { failureRate, priceOf } from './facts.ts';

it.each([
  [{ completed: 0, failed: 0 }, false, null],
  [{ completed: 3, failed: 1 }, false, '25 %'],
  [{ completed: 3, failed: 1 }, true, '≥ 25 %'],
  [{ completed: 20_000, failed: 1 }, false, '< 0.1 %'],
  [{ completed: 5, failed: 0 }, false, '0 %'],
  [{ completed: 5, failed: 0 }, true, '≥ 0 %'],
])('the failure rate of %j, counted in part: %s, is %s', (counts, isPartial, rate) => {
  expect(failureRate(counts, isPartial)).toBe(rate);
});

it('a price names its units, and whether the provider reports it', () => {
  const price = { per_run: '0.01', per_image: '0.04' };
  expect(priceOf({ price })).toBe('0.01 per run + 0.04 per image');
  expect(priceOf({ price: { ...price, cost_from_provider: true } })).toMatch(
    /^What the provider reports, else 0\.01/,
  );
});
