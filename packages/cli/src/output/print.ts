import type { Context } from '../command.ts';
import { table } from '../models/wording.ts';

type Output = Pick<Context, 'say' | 'width'>;

/** A line, no wider than the terminal. What no terminal shows is never cut. */
export function sayLine({ say, width }: Output, line: string): void {
  say(width !== null && line.length > width ? `${line.slice(0, Math.max(0, width - 1))}…` : line);
}

/** Aligned columns under their heads. */
export function sayTable(output: Output, heads: string[], rows: string[][]): void {
  for (const line of table([heads, ...rows.map((row) => row.map(oneLine))])) sayLine(output, line);
}

/** A name and what stands there, a line each; what is null is left out. */
export function sayFacts(output: Output, facts: Record<string, string | number | boolean | null>): void {
  const rows = Object.entries(facts).flatMap(([name, value]) =>
    value === null || value === '' ? [] : [[name, oneLine(String(value))]],
  );
  for (const line of table(rows)) sayLine(output, line);
}

/** One document, with the keys of the API. */
export function sayJson({ say }: Output, document: unknown): void {
  say(JSON.stringify(document));
}

/** Control characters, which could write over what a terminal shows, are spaces. */
const oneLine = (text: string) => text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ');
