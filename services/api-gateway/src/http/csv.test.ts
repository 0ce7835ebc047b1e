import { describe, expect, it } from '@jest/globals';
import { toCsv } from './csv.ts';

const text = (value: string | null) => toCsv({ a: 'text' }, [{ a: value }]);

describe('CSV', () => {
  it('has a header line, and CRLF after every line', () => {
    const rows = [
      { a: 'x', n: 1, other: 'not shown' },
      { a: null, n: '-2.50' },
    ];
    expect(toCsv({ a: 'text', n: 'number' }, rows)).toBe('a,n\r\nx,1\r\n,-2.50\r\n');
    expect(toCsv({ a: 'text' }, [])).toBe('a\r\n');
  });

  it.each([
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['two\r\nlines', '"two\r\nlines"'],
    [' spaces ', ' spaces '],
    ['Zürich 東京', 'Zürich 東京'],
    ['', ''],
  ])('writes %j as %j', (value, cell) => {
    expect(text(value)).toBe(`a\r\n${cell}\r\n`);
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', '"\'\r=1"'],
    ['\n=1', '"\'\n=1"'],
    ['=A1,"B"', '"\'=A1,""B"""'],
    ['1=1', '1=1'],
  ])('makes no formula of the text %j: %j', (value, cell) => {
    expect(text(value)).toBe(`a\r\n${cell}\r\n`);
  });

  it('keeps numbers unchanged, including those below 0', () => {
    expect(toCsv({ n: 'number' }, [{ n: '-3.50' }, { n: -4 }, { n: 0 }])).toBe('n\r\n-3.50\r\n-4\r\n0\r\n');
  });
});
