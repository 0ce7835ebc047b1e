import { describe, expect, it } from '@jest/globals';
import { terminalWidth } from '../terminal.ts';
import { printFacts, printTable } from './print.ts';
import { shownAge, shownSeconds, shownTime, sinceTime, untilTime } from './times.ts';
import { widthOf } from './width.ts';

function said(width: number | null, print: (output: Parameters<typeof printTable>[0]) => void): string[] {
  const lines: string[] = [];
  print({ width, print: (line) => void lines.push(line) });
  return lines;
}

describe('tables', () => {
  const rows = [
    { id: 'org_1', name: 'a\u001b[31m\nname' },
    { id: 'org_22', name: 'b' },
  ];
  const columns = {
    NAME: ({ name }: (typeof rows)[0]) => name,
    SPENT: () => '0.00',
  };
  const whole = { ID: ({ id }: (typeof rows)[0]) => id };

  it('are aligned, and contain no control characters', () => {
    expect(said(null, (output) => printTable(output, rows, columns, whole))).toEqual([
      'NAME         SPENT  ID',
      'a [31m name  0.00   org_1',
      'b            0.00   org_22',
    ]);
  });

  it('shorten their widest columns on a narrow terminal, and print ids on lines of their own', () => {
    expect(said(14, (output) => printTable(output, rows, columns, whole))).toEqual([
      'NAME     SPENT',
      '  ID',
      'a [31m…  0.00',
      '  org_1',
      'b        0.00',
      '  org_22',
    ]);
  });

  it('never shorten an id, and print no line for a missing one', () => {
    const some = [{ id: 'exec_0123456789' }, { id: '' }];
    const lines = said(9, (output) =>
      printTable(output, some, { STATUS: () => 'COMPLETED', COST: () => '1' }, { ID: ({ id }) => id }),
    );
    expect(lines).toEqual(['ST…  COST', '  ID', 'CO…  1', '  exec_0123456789', 'CO…  1']);
  });

  it('fit 80 columns with the longest texts that executions have', () => {
    const execution = {
      status: 'AWAITING_WEBHOOK',
      model: 'a-model-with-a-slug-of-forty-characters-x',
      cost: '1234.56789012',
      error: 'CONTENT_MODERATION_REJECTED',
      id: `exec_${'0'.repeat(36)}`,
    };
    const lines = said(80, (output) =>
      printTable(
        output,
        [execution],
        {
          STATUS: ({ status }) => status,
          MODEL: ({ model }) => model,
          COST: ({ cost }) => cost,
          ERROR: ({ error }) => error,
        },
        { ID: ({ id }) => id },
      ),
    );
    expect(lines.map(widthOf).every((width) => width <= 80)).toBe(true);
    expect(lines.at(-1)).toBe(`  ${execution.id}`);
  });

  it('are aligned by the width on a terminal, also with wide letters and joined emoji', () => {
    const wide = [
      ['\u65e5\u672c', 'a'],
      ['\u{1F469}\u200D\u{1F467}', 'b'],
      ['e\u0301', 'c\u202Ed'],
    ];
    const cells = { N: ([name = '']: string[]) => name, X: ([, other = '']: string[]) => other };
    expect(said(null, (output) => printTable(output, wide, cells))).toEqual([
      'N     X',
      '\u65e5\u672c  a',
      '\u{1F469}\u200D\u{1F467}    b',
      'e\u0301     c d',
    ]);
    expect(said(4, (output) => printTable(output, ['\u65e5\u672c\u65e5'], { N: (name) => name }))).toEqual([
      'N',
      '\u65e5\u2026',
    ]);
  });

  it.each([
    [{ isTTY: true, columns: 80 }, 80],
    [{ isTTY: true, columns: 0 }, null],
    [{ isTTY: true }, null],
    [{ columns: 80 }, null],
  ])('of %j have the width %j', (stream, width) => {
    expect(terminalWidth(stream)).toBe(width);
  });

  it('of facts are never shortened, because a key is shown only once', () => {
    expect(said(5, (output) => printFacts(output, { key: 'sk_0123456789' }))).toEqual(['key  sk_0123456789']);
  });

  it('of facts omit missing values', () => {
    const facts = { id: 'org_1', ended: '', cost: null, failures: 0 };
    expect(said(null, (output) => printFacts(output, facts))).toEqual(['id        org_1', 'failures  0']);
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
  ])('of since %s are %s', (text, time) => {
    expect(sinceTime(text, nowMs)).toBe(time);
  });

  it.each(['', 'soon', '5', '1w', '2026-13-01', '2026-02-30', '2026-03-20T10:30', '-1h'])(
    'are refused as since %j',
    (text) => {
      expect(() => sinceTime(text, nowMs)).toThrow('--since needs a time');
    },
  );

  it.each([
    ['90d', '2026-06-18T10:30:00.000Z'],
    ['2027-01-01', '2027-01-01T00:00:00.000Z'],
  ])('of until %s are %s', (text, time) => {
    expect(untilTime(text, nowMs)).toBe(time);
  });

  it.each(['', 'soon', '0d', '2026-03-01'])('are refused as until %j', (text) => {
    expect(() => untilTime(text, nowMs)).toThrow('--expires needs a future time');
  });

  it('of the past are shown as an age, which is never negative', () => {
    const ago = (ms: number) => shownAge(new Date(Date.now() - ms).toISOString());
    expect([ago(3_600_500), ago(-60_000), shownAge(null)]).toEqual(['60 min', '0.0 s', '']);
  });

  it('of the API are shown in UTC, which they say', () => {
    expect(shownTime('2026-03-20T10:30:00.123Z')).toBe('2026-03-20 10:30:00 UTC');
    expect(shownTime(null)).toBe('');
  });

  it('are shown in a short form', () => {
    expect([0.42, 90, 5400, 86_400, 400_000].map(shownSeconds)).toEqual([
      '0.4 s',
      '90 s',
      '90 min',
      '24.0 h',
      '5 d',
    ]);
  });
});
