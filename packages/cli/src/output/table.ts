import type { Context } from '../command.ts';
import { cutTo, filledTo, widthOf } from './width.ts';

/** By their heads: what stands in each column of a row. */
type Columns<Row> = Record<string, (row: Row) => string>;

const gap = 2;
const indent = '  ';

/**
 * Rows under their heads, no wider than the terminal, the most useful columns first: the widest are cut. Columns of `whole`
 * are of use only whole, as ids are: they stand last, and where there is no room for them on lines of their own.
 */
export function sayTable<Row>(
  { say, width }: Pick<Context, 'say' | 'width'>,
  rows: readonly Row[],
  columns: Columns<Row>,
  whole: Columns<Row> = {},
): void {
  const front = cellsOf(rows, columns);
  const back = cellsOf(rows, whole);
  const [frontWidths, backWidths] = [widthsOf(front), widthsOf(back)];
  const all = [...frontWidths, ...backWidths];
  if (width === null || totalOf(all) <= width) {
    for (const [index, cells] of front.entries()) say(lineOf([...cells, ...(back[index] ?? [])], all));
    return;
  }
  const narrow = shrunk(frontWidths, width);
  const lines = packed(backWidths, width - indent.length);
  for (const [index, cells] of front.entries()) {
    say(lineOf(cells, narrow));
    const pick = <Value>(from: readonly Value[] | undefined, { from: first, to }: Span) =>
      from?.slice(first, to) ?? [];
    for (const span of lines) {
      const line = lineOf(pick(back[index], span), pick(backWidths, span));
      if (line !== '') say(indent + line);
    }
  }
}

/** Columns as wide as their widest cell; the last one is not filled up. */
export function table(rows: readonly string[][]): string[] {
  const widths = widthsOf(rows);
  return rows.map((row) => lineOf(row, widths));
}

/** Control characters, which could write over what a terminal shows, are spaces; what joins letters and emoji stays. */
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

/** As wide as `most` together, the widest made narrower. */
function shrunk(widths: readonly number[], most: number): number[] {
  const narrow = [...widths];
  for (let over = totalOf(narrow) - most; over > 0; over--) {
    const widest = Math.max(...narrow);
    if (widest <= 1) break;
    narrow[narrow.indexOf(widest)] = widest - 1;
  }
  return narrow;
}

type Span = { from: number; to: number };

/** Which columns stand on a line together: as many as have room. */
function packed(widths: readonly number[], most: number): Span[] {
  const lines: Span[] = [];
  for (const column of widths.keys()) {
    const last = lines.at(-1);
    if (last && totalOf(widths.slice(last.from, column + 1)) <= most) last.to = column + 1;
    else lines.push({ from: column, to: column + 1 });
  }
  return lines;
}
