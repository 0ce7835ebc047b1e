import { parsePipe } from './parsePipe.ts';
import { type Piece, piecesOf } from './tokens.ts';
import type { Definitions, Node } from './tree.ts';

/**
 * Parses one file of a chart and adds its definitions to `definitions`. Supports `if`, `else`, `range`, `with`, `define`,
 * `end`, variables and pipelines. @throws for anything else
 */
export function parseTemplate(text: string, definitions: Definitions): Node[] {
  const pieces = piecesOf(text);
  let at = 0;

  const keyword = (piece: Piece | undefined) => (piece?.kind === 'action' ? piece.words[0] : undefined);

  function body(): Node[] {
    const nodes: Node[] = [];
    for (let piece = pieces[at]; piece; piece = pieces[at]) {
      if (keyword(piece) === 'end' || keyword(piece) === 'else') return nodes;
      at += 1;
      const node = piece.kind === 'text' ? piece : action(piece.words);
      if (node) nodes.push(node);
    }
    return nodes;
  }

  function action(words: string[]): Node | null {
    const [first, ...rest] = words;
    if (first === 'if') return conditional(rest);
    if (first === 'range' || first === 'with') return scope(first, rest);
    if (first !== 'define') return { kind: 'output', pipe: parsePipe(words) };
    definitions.set(JSON.parse(rest[0] ?? '') as string, body());
    close();
    return null;
  }

  function conditional(words: string[]): Node {
    const branches: { pipe: ReturnType<typeof parsePipe> | null; body: Node[] }[] = [
      { pipe: parsePipe(words), body: body() },
    ];
    for (let more = elseWords(); more; more = elseWords()) {
      if (more.length > 0 && more[0] !== 'if') throw new Error(`else ${more[0]} is not known`);
      branches.push({ pipe: more.length > 0 ? parsePipe(more.slice(1)) : null, body: body() });
    }
    close();
    return { kind: 'if', branches };
  }

  function scope(kind: 'range' | 'with', words: string[]): Node {
    const pipe = parsePipe(words);
    const inside = body();
    const otherwise = elseWords() ? body() : [];
    close();
    return { kind, pipe, body: inside, otherwise };
  }

  function elseWords(): string[] | null {
    const piece = pieces[at];
    if (piece?.kind !== 'action' || piece.words[0] !== 'else') return null;
    at += 1;
    return piece.words.slice(1);
  }

  function close(): void {
    if (keyword(pieces[at]) !== 'end') throw new Error('an end is missing');
    at += 1;
  }

  const nodes = body();
  if (at < pieces.length) throw new Error('an end or else too many');
  return nodes;
}
