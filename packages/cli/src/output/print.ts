import type { Context } from '../command.ts';
import { cutTo, filledTo, widthOf } from './width.ts';

type Output = Pick<Context, 'print' | 'width'>;

/** A line, cut to the width of the terminal, if there is one. */
export function printLine({ print, width }: Output, line: string): void {
  print(width === null ? line : cutTo(width, line));
}

/** Prints names and values, a line each. Null and empty values are left out; nothing is cut. */
export function printFacts(output: Output, facts: Record<string, string | number | boolean | null>): void {
  const rows = Object.entries(facts).flatMap(([name, value]) =>
    value === null || value === '' ? [] : [[name, oneLine(String(value))]],
  );
  for (const line of table(rows)) output.print(line);
}

export function printJson({ print }: Output, document: unknown): void {
  print(JSON.stringify(document));
}

/** The text of each column of a row, by the column's head. */
type Columns<Row> = Record<string, (row: Row) => string>;

const gap = 2;
const indent = '  ';

/** Cuts the widest columns to fit the terminal; `whole` columns, such as ids, are never cut and may move to their own lines. */
export function printTable<Row>(
  { print, width }: Output,
  rows: readonly Row[],
  columns: Columns<Row>,
  whole: Columns<Row> = {},
): void {
  const front = cellsOf(rows, columns);
  const back = cellsOf(rows, whole);
  const [frontWidths, backWidths] = [widthsOf(front), widthsOf(back)];
  const all = [...frontWidths, ...backWidths];
  if (width === null || totalOf(all) <= width) {
    for (const [index, cells] of front.entries()) print(lineOf([...cells, ...(back[index] ?? [])], all));
    return;
  }
  const narrow = shrunk(frontWidths, width);
  const lines = packed(backWidths, width - indent.length);
  for (const [index, cells] of front.entries()) {
    print(lineOf(cells, narrow));
    const pick = <Value>(from: readonly Value[] | undefined, { from: first, to }: Span) =>
      from?.slice(first, to) ?? [];
    for (const span of lines) {
      const line = lineOf(pick(back[index], span), pick(backWidths, span));
      if (line !== '') print(indent + line);
    }
  }
}

export function table(rows: readonly string[][]): string[] {
  const widths = widthsOf(rows);
  return rows.map((row) => lineOf(row, widths));
}

/** Without control characters, which could overwrite the terminal's contents; joiners of letters and emoji stay. */
export const oneLine = (text: string): string =>
  text.replaceAll(/(?:(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}])+/gu, ' ');

const cellsOf = <Row>(rows: readonly Row[], columns: Columns<Row>): string[][] => [
  Object.keys(columns),
  ...rows.map((row) => Object.values(columns).map((textOf) => oneLine(textOf(row)))),
];

const widthsOf = ([heads = [], ...rows]: readonly string[][]): number[] =>
  heads.map((head, column) => Math.max(...[head, ...rows.map((row) => row[column] ?? '')].map(widthOf)));

const totalOf = (widths: readonly number[]) => widths.reduce((sum, width) => sum + width + gap, -gap);

const lineOf = (cells: readonly string[], widths: readonly number[]) =>
  cells
    .map((cell, column) => filledTo(widths[column] ?? 0, cutTo(widths[column] ?? 0, cell)))
    .join(' '.repeat(gap))
    .trimEnd();

/** At most `maxWidth` together: the widest are made narrower. */
function shrunk(widths: readonly number[], maxWidth: number): number[] {
  const narrow = [...widths];
  for (let over = totalOf(narrow) - maxWidth; over > 0; over--) {
    const widest = Math.max(...narrow);
    if (widest <= 1) break;
    narrow[narrow.indexOf(widest)] = widest - 1;
  }
  return narrow;
}

type Span = { from: number; to: number };

/** The columns of each line: as many as fit. */
function packed(widths: readonly number[], maxWidth: number): Span[] {
  const lines: Span[] = [];
  for (const column of widths.keys()) {
    const last = lines.at(-1);
    if (last && totalOf(widths.slice(last.from, column + 1)) <= maxWidth) last.to = column + 1;
    else lines.push({ from: column, to: column + 1 });
  }
  return lines;
}
