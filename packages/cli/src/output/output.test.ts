import { describe, expect, it } from '@jest/globals';
import { sayFacts, sayTable } from './print.ts';
import { shownSeconds, sinceTime, untilTime } from './times.ts';

function said(width: number | null, say: (output: Parameters<typeof sayTable>[0]) => void): string[] {
  const lines: string[] = [];
  say({ width, say: (line) => void lines.push(line) });
  return lines;
}

describe('tables', () => {
  const rows = [
    ['org_1', 'a\u001b[31m\nname'],
    ['org_22', 'b'],
  ];

  it('are aligned, and hold nothing that moves a cursor', () => {
    expect(said(null, (output) => sayTable(output, ['ID', 'NAME'], rows))).toEqual([
      'ID      NAME',
      'org_1   a [31m name',
      'org_22  b',
    ]);
  });

  it('are cut to the width of a terminal', () => {
    expect(said(10, (output) => sayTable(output, ['ID', 'NAME'], rows))).toEqual([
      'ID      N…',
      'org_1   a…',
      'org_22  b',
    ]);
  });

  it('are aligned by what a terminal shows, wide letters and joined emoji among it', () => {
    const wide = [
      ['\u65e5\u672c', 'a'],
      ['\u{1F469}\u200D\u{1F467}', 'b'],
      ['e\u0301', 'c\u202Ed'],
    ];
    expect(said(null, (output) => sayTable(output, ['N', 'X'], wide))).toEqual([
      'N     X',
      '\u65e5\u672c  a',
      '\u{1F469}\u200D\u{1F467}    b',
      'e\u0301     c d',
    ]);
    expect(said(4, (output) => sayTable(output, ['N'], [['\u65e5\u672c\u65e5']]))).toEqual([
      'N',
      '\u65e5\u2026',
    ]);
  });

  it('of facts are never cut: a key is shown once', () => {
    expect(said(5, (output) => sayFacts(output, { key: 'sk_0123456789' }))).toEqual(['key  sk_0123456789']);
  });

  it('of facts leave out what is not there', () => {
    const facts = { id: 'org_1', ended: '', cost: null, failures: 0 };
    expect(said(null, (output) => sayFacts(output, facts))).toEqual(['id        org_1', 'failures  0']);
  });
});

describe('times', () => {
  const nowMs = Date.parse('2026-03-20T10:30:00Z');

  it.each([
    ['30m', '2026-03-20T10:00:00.000Z'],
    ['2h', '2026-03-20T08:30:00.000Z'],
    ['7d', '2026-03-13T10:30:00.000Z'],
    ['2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['2026-03-20T10:00:00+01:00', '2026-03-20T09:00:00.000Z'],
    [undefined, undefined],
  ])('since %s is %s', (text, time) => {
    expect(sinceTime(text, nowMs)).toBe(time);
  });

  it.each(['', 'soon', '5', '1w', '2026-13-01', '-1h'])('since %j is refused', (text) => {
    expect(() => sinceTime(text, nowMs)).toThrow('--since needs a time');
  });

  it.each([
    ['90d', '2026-06-18T10:30:00.000Z'],
    ['2027-01-01', '2027-01-01T00:00:00.000Z'],
  ])('until %s is %s', (text, time) => {
    expect(untilTime(text, nowMs)).toBe(time);
  });

  it.each(['', 'soon', '0d', '2026-03-01'])('until %j is refused', (text) => {
    expect(() => untilTime(text, nowMs)).toThrow('--expires needs a time to come');
  });

  it('are shown short', () => {
    expect([0.42, 90, 5400, 86_400, 400_000].map(shownSeconds)).toEqual([
      '0.4 s',
      '90 s',
      '90 min',
      '24.0 h',
      '5 d',
    ]);
  });
});
