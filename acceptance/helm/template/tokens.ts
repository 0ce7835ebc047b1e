/** A token of a template: text, or the content between `{{` and `}}`. */
export type Piece = { kind: 'text'; text: string } | { kind: 'action'; words: string[] };

const word = /\s+|"(?:\\.|[^"\\])*"|`[^`]*`|\$?\w*(?:\.\w+)+|\.|\$\w*|:=|=|\||,|\(|\)|-?\d+|\w+/gy;

/** Splits a template into tokens. `{{-` and `-}}` remove the white space beside them; comments are dropped. */
export function piecesOf(template: string): Piece[] {
  const pieces: Piece[] = [];
  const action =
    /\{\{(-\s)?\s*(\/\*[\s\S]*?\*\/|(?:"(?:\\.|[^"\\])*"|`[^`]*`|(?!\}\})[^"`])*?)\s*(\s-)?\}\}/g;
  let from = 0;
  let trims = false;
  for (const match of template.matchAll(action)) {
    const before = template.slice(from, match.index);
    pushText(pieces, before, trims, match[1] !== undefined);
    const inside = match[2] ?? '';
    if (!inside.startsWith('/*')) pieces.push({ kind: 'action', words: wordsOf(inside) });
    trims = match[3] !== undefined;
    from = match.index + match[0].length;
  }
  pushText(pieces, template.slice(from), trims, false);
  return pieces;
}

function pushText(pieces: Piece[], raw: string, trimsStart: boolean, trimsEnd: boolean): void {
  const started = trimsStart ? raw.trimStart() : raw;
  const text = trimsEnd ? started.trimEnd() : started;
  if (text.includes('{{')) throw new Error(`an action is not closed: ${text.slice(text.indexOf('{{'), 60)}`);
  if (text !== '') pieces.push({ kind: 'text', text });
}

function wordsOf(inside: string): string[] {
  const words: string[] = [];
  word.lastIndex = 0;
  while (word.lastIndex < inside.length) {
    const at = word.lastIndex;
    const found = word.exec(inside)?.[0];
    // A field of a parenthesis: Go supports it, this parser does not.
    const isFieldOfParenthesis = found?.startsWith('.') && inside[at - 1] === ')';
    if (found === undefined || isFieldOfParenthesis) throw new Error(`not understood: ${inside.slice(at)}`);
    if (found.trim() !== '') words.push(found);
  }
  return words;
}
