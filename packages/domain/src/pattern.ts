import { RE2JS } from 're2js';

/** A regular expression in the syntax of RE2, whose time grows with the length of the text and never faster. */
export type Pattern = {
  test(text: string): boolean;
  /** The named groups of the first match, or null. */
  groups(text: string): Record<string, string> | null;
  /** The time of a match is at most proportional to this times the length of the text. */
  size: number;
};

/** Compiled patterns occupy memory, and a long one takes longer. */
const maxSize = 1000;

/** The message says what is wrong and what to write instead. */
export class PatternError extends Error {
  constructor(source: string, problem: string) {
    super(`pattern ${JSON.stringify(source)} ${problem}`);
  }
}

/** `matchesNewlines`: the dot matches them too. @throws PatternError */
export function compilePattern(source: string, { matchesNewlines = false } = {}): Pattern {
  const compiled = compile(source, matchesNewlines ? RE2JS.DOTALL : 0);
  const size = compiled.programSize();
  if (size > maxSize) throw new PatternError(source, 'is too large: use shorter repetitions, or maxLength');
  return {
    size,
    test: (text) => compiled.test(text),
    groups(text) {
      const match = compiled.matcher(text);
      if (!match.find()) return null;
      const names = Object.keys(compiled.namedGroups());
      return Object.fromEntries(names.map((name) => [name, match.group(name) ?? '']));
    },
  };
}

function compile(source: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source), flags);
  } catch (error) {
    const cause = unsupported.find(({ written }) => written.test(source));
    throw new PatternError(
      source,
      cause?.instead ?? `is not a regular expression of RE2: ${reasonOf(error)}`,
    );
  }
}

const reasonOf = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).replace('error parsing regexp: ', '');

const unsupported = [
  {
    written: /\(\?<?[=!]/,
    instead:
      'has a lookaround, which can take exponential time: write what must match, or combine patterns with `allOf` and `not`',
  },
  {
    written: /\\[1-9]|\\k</,
    instead: 'has a backreference, which can take exponential time: write the alternatives instead',
  },
  { written: /\\c/, instead: 'has a control escape: write \\x and two hexadecimal digits' },
  {
    written: /\\p\{[^}]{3,}\}/i,
    instead: 'has a Unicode property with a long name: write \\p{L}, \\p{Nd} or \\p{Greek}',
  },
  { written: /\[\^\]/, instead: 'has [^], which only JavaScript knows: write [\\s\\S]' },
];
