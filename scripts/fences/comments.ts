/** Comments on lines of their own, and blocks. What stands in a string or a pattern begins otherwise. */
const comments = /(?<=^|[\s{(])\/\*([\s\S]*?)\*\/|(?<=^|\n)[ \t]*(\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*)/g;

const beginnings = /(?:^|[.!?] )(?:Of|So that|That of|Those that|So long|So many|So much)\b/;
const phrases = /\b(?:that of|those that|so long|so many)\b/i;

/** The comments of a source that are fragments: each is a sentence with a subject and a verb, or a unit. */
export function fragmentsIn(source: string): string[] {
  return [...source.matchAll(comments)]
    .map(([, block, lines]) => ({
      text: textOf(block ?? lines ?? ''),
      isDoc: block?.startsWith('*') ?? false,
    }))
    .filter(
      ({ text, isDoc }) => beginnings.test(text) || phrases.test(text) || (isDoc && /^[a-z]+ /.test(text)),
    )
    .map(({ text }) => text);
}

function textOf(comment: string): string {
  const lines = comment.split('\n').map((line) =>
    line
      .trim()
      .replace(/^(\*+|\/\/)/, '')
      .trim(),
  );
  return lines.join(' ').replace(/\s+/g, ' ').trim();
}
