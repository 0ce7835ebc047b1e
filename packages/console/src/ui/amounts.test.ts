import { describe, expect, it } from '@jest/globals';
import { share, subtract } from './amounts.ts';

describe('subtract', () => {
  it.each([
    ['1.00', '0.00000001', '0.99999999'],
    ['0.10', '0.30', '-0.20'],
    ['-1.5', '-1.5', '0.00'],
    ['90071992547409.93', '0.01', '90071992547409.92'],
  ])('takes from %s exactly %s', (amount, by, left) => {
    expect(subtract(amount, by)).toBe(left);
  });
});

describe('share', () => {
  it('is a part of the whole, and 0 of nothing', () => {
    expect(share('0.25', '1.00')).toBe(0.25);
    expect(share('1.00', '0.00')).toBe(0);
  });
});
