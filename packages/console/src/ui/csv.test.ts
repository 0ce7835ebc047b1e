import { describe, expect, it } from '@jest/globals';
import { csvOf } from './csv.ts';

describe('a list as a file', () => {
  it('has the columns that say what they write, quoted, and no cell that a spreadsheet would run', () => {
    const columns = [
      { name: 'Name', csv: (row: [string, string | null]) => row[0] },
      { name: 'Chart' },
      { name: 'Amount', csv: (row: [string, string | null]) => row[1] },
    ];
    const rows: [string, string | null][] = [
      ['a "b", c', '-1.50'],
      ['=1+1', null],
      ['-x', '0'],
    ];
    expect(csvOf(columns, rows)).toBe('Name,Amount\r\n"a ""b"", c",-1.50\r\n\'=1+1,\r\n\'-x,0\r\n');
  });
});
