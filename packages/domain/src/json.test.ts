import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseJson } from './json.ts';

const again = (text: string) => JSON.stringify(parseJson(text));

describe('parseJson', () => {
  it.each([
    ['{"seed":18446744073709551615,"of":[-9223372036854775808,9007199254740993]}'],
    ['[9007199254740991,1234567890123456,0,-1]'],
    ['{"text":"18446744073709551615 \\"12345678901234567890\\\\","__proto__":12345678901234567890}'],
    [`[${'9'.repeat(300)}]`],
    [
      '["18446744073709551615","\\"",18446744073709551615,"","9007199254740993 \\"9007199254740993",9007199254740993,[]]',
    ],
  ])('keeps the digits of the integers in %s', (text) => {
    expect(again(text)).toBe(text);
  });

  it('rounds fractions to doubles, as most languages do', () => {
    expect(again('[0.1234567890123456789,1.5e3,12345678901234567890.5,1e-1234567890123456]')).toBe(
      '[0.12345678901234568,1500,12345678901234567000,0]',
    );
    expect(parseJson(`[1${'0'.repeat(400)}]`)).toEqual([Number.POSITIVE_INFINITY]);
  });

  it.each([
    ['{12345678901234567890:1}'],
    ['{12345678901234567890 \n:1}'],
    ['[012345678901234567890]'],
    ['[+12345678901234567890]'],
    ['[12345678901234567890 1]'],
    ['[12345678901234567890,]'],
    ['{"a":12345678901234567890'],
    ['null12345678901234567890'],
  ])('refuses %s', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  it('reads what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.bigInt({ min: 2n ** 53n, max: 2n ** 70n }), (value, long) => {
        const text = JSON.stringify([value, long, { [String(long)]: -long }]);
        expect(again(text)).toBe(text);
      }),
    );
  });
});
