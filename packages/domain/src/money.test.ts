import { describe, expect, it } from '@jest/globals';
import { formatMoney, holdFor, isMoney, toMoney } from './money.ts';

describe('an amount', () => {
  it.each(['0', '0.01', '9999999999999999.99999999'])('can be %s', (text) => {
    expect(isMoney(text)).toBe(true);
  });

  it.each([
    '',
    '-1',
    '+1',
    '.5',
    '1.',
    '1e3',
    '0x10',
    'NaN',
    '1,5',
    ' 1',
    '1\n',
    '0.123456789',
    '1'.repeat(17),
  ])('can not be %j', (text) => {
    expect(isMoney(text)).toBe(false);
  });

  it.each([
    ['0', '0.00'],
    ['0.6', '0.60'],
    ['0.01200000', '0.012'],
    ['0.00000001', '0.00000001'],
    ['9999999999999999.99999999', '9999999999999999.99999999'],
    ['-0.5', '-0.50'],
  ])('%s is shown as %s', (amount, shown) => {
    expect(formatMoney(amount)).toBe(shown);
  });

  it('is rounded up at 8 decimals, exactly', () => {
    expect(toMoney('0.000000001')).toBe('0.00000001');
    expect(toMoney('0.1')).toBe('0.1');
  });
});

describe('a hold', () => {
  it.each([
    ['0.50000000', '0.6'],
    ['0', '0.01'],
    ['0.00833333', '0.01'],
    ['0.00833334', '0.01000001'],
    ['0.00000001', '0.01'],
    ['1234567.12345678', '1481480.54814814'],
  ])('for an estimate of %s is %s', (estimate, hold) => {
    expect(holdFor(estimate)).toBe(hold);
  });
});
