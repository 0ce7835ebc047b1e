import type { Context } from '../command.ts';
import { oneLine, table } from './table.ts';
import { cutTo } from './width.ts';

type Output = Pick<Context, 'say' | 'width'>;

/** A line, no wider than the terminal. Nothing is cut where there is none. */
export function sayLine({ say, width }: Output, line: string): void {
  say(width === null ? line : cutTo(width, line));
}

/** A name and its value, a line each, without those that are null or empty. Never cut. */
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
