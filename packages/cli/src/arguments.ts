import { parseArgs } from 'node:util';
import { UsageError } from './usageError.ts';

export type Arguments = {
  help: boolean;
  databaseUrl: string | null;
  /** All others, in their order. */
  rest: string[];
};

const common = { help: { type: 'boolean', short: 'h' }, 'database-url': { type: 'string' } } as const;

/** Takes the flags that every command has out of the arguments, wherever they stand. @throws UsageError */
export function readArguments(argv: string[]): Arguments {
  const { tokens } = parseArgs({ args: argv, options: common, strict: false, tokens: true });
  const taken = new Set<number>();
  const found: Omit<Arguments, 'rest'> = { help: false, databaseUrl: null };
  for (const token of tokens) {
    if (token.kind !== 'option' || !Object.hasOwn(common, token.name)) continue;
    taken.add(token.index);
    if (token.name === 'help') found.help = true;
    else {
      found.databaseUrl = urlOf(token.value);
      if (!token.inlineValue) taken.add(token.index + 1);
    }
  }
  return { ...found, rest: argv.filter((_, index) => !taken.has(index)) };
}

/** The value itself is not shown: it holds a password. */
function urlOf(value: string | undefined): string {
  if (value !== undefined && /^postgres(ql)?:\/\//.test(value) && URL.canParse(value)) return value;
  throw new UsageError('--database-url takes a URL, as postgresql://user:password@host:port/database');
}
