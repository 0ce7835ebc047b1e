import { expect, it } from '@jest/globals';
import { billedText } from './billed.ts';

it.each([
  ['tokens that were used', { input_tokens: 1200, output_tokens: 0 }, '1,200 input tokens'],
  [
    'units, and which of them are estimated',
    { input_tokens: 0, output_tokens: 0, units: { seconds: 4, steps: 28 }, estimated: ['seconds'] },
    '4 seconds (estimated), 28 steps',
  ],
  [
    'tokens that the bytes of a stream stand for',
    { input_tokens: 3, output_tokens: 9, usage_estimated: true },
    '3 input tokens (estimated), 9 output tokens (estimated)',
  ],
  ['nothing', { input_tokens: 0, output_tokens: 0 }, ''],
])('a charge is explained by %s', (_title, usage, shown) => {
  expect(billedText(usage)).toBe(shown);
});
