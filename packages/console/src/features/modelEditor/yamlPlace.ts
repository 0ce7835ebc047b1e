/** Where the cursor is in a model's YAML. `path`: the keys above, `*` for an item of a list. */
export type Place = { path: string[]; typed: string; isValue: boolean };

type Line = { indent: number; dashes: number[]; key: string | null };

const written = /^( *)((?:- +)*)(?:([\w$.-]+|"[^"]*"):(?: |$))?/;

function lineOf(text: string): Line {
  const [, spaces = '', dashes = '', key = null] = written.exec(text) ?? [];
  const start = spaces.length;
  return {
    indent: start + dashes.length,
    dashes: [...dashes.matchAll(/-/g)].map(({ index }) => start + index),
    key,
  };
}

/**
 * Reads indentation instead of a syntax tree, because what is being typed is no valid YAML yet. Null: inside of a text, a
 * comment or `{ … }`. `above`: the lines before the cursor's; `before`: its own, up to the cursor.
 */
export function placeOf(above: readonly string[], before: string): Place | null {
  const found = /^( *)((?:- +)*)(?:([\w$.-]+): +)?([\w$.-]*)$/.exec(before);
  if (!found) return null;
  const [, , , key, typed = ''] = found;
  const own = lineOf(before);
  const path = key === undefined ? [] : [key];
  let within = outOf(own, own.indent, path);
  for (const text of above.toReversed()) {
    if (within <= 0) break;
    if (/^\s*(#|$)/.test(text)) continue;
    const line = lineOf(text);
    if (line.indent < within && line.key !== null) {
      path.unshift(line.key);
      within = outOf(line, line.indent, path);
    } else if (line.dashes.length > 0 && line.indent === within) within = outOf(line, within, path);
  }
  return { path, typed, isValue: key !== undefined };
}

/** Passes the dashes of a line on the way to its parent, whose key is further left than what is returned. */
function outOf({ dashes }: Line, indent: number, path: string[]): number {
  for (const _ of dashes) path.unshift('*');
  const [first] = dashes;
  return first === undefined ? indent : first + 1;
}
