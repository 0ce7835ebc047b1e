import type { Context } from '../command.ts';
import { table } from '../models/wording.ts';
import { cutTo } from './width.ts';

type Output = Pick<Context, 'say' | 'width'>;

/** A line, no wider than the terminal. What no terminal shows is never cut. */
export function sayLine({ say, width }: Output, line: string): void {
  say(width === null ? line : cutTo(width, line));
}

/** Aligned columns under their heads. */
export function sayTable(output: Output, heads: string[], rows: string[][]): void {
  for (const line of table([heads, ...rows.map((row) => row.map(oneLine))])) sayLine(output, line);
}

/** A name and what stands there, a line each; what is null is left out. Never cut: it is what was asked for. */
export function sayFacts(output: Output, facts: Record<string, string | number | boolean | null>): void {
  const rows = Object.entries(facts).flatMap(([name, value]) =>
    value === null || value === '' ? [] : [[name, oneLine(String(value))]],
  );
  for (const line of table(rows)) output.say(line);
}

/** One document, with the keys of the API. */
export function sayJson({ say }: Output, document: unknown): void {
  say(JSON.stringify(document));
}

/** Control characters, which could write over what a terminal shows, are spaces; what joins letters and emoji stays. */
const oneLine = (text: string) => text.replaceAll(/(?:(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}])+/gu, ' ');
