import { type ParseArgsConfig, parseArgs } from 'node:util';
import { readArguments, UsageError, wholeNumber } from '@holdfast/kit/flags';

type Options = NonNullable<ParseArgsConfig['options']>;

/** Reads one operand for each of `names`, and the flags. @throws UsageError that names the operands */
export function readOperands<const Names extends readonly string[], const Known extends Options>(
  command: string,
  args: string[],
  names: Names,
  options: Known,
) {
  const read = readArguments(args, options);
  if (read.positionals.length !== names.length) {
    const wanted = names.length === 0 ? 'only flags' : names.map((name) => `<${name}>`).join(' ');
    throw new UsageError(`holdfast ${command} takes ${wanted}`);
  }
  const empty = names.find((_, index) => read.positionals[index]?.trim() === '');
  if (empty !== undefined) throw new UsageError(`<${empty}> of holdfast ${command} is empty`);
  return { operands: read.positionals as { [Index in keyof Names]: string }, values: read.values };
}

/** The value of --limit. @throws UsageError */
export const readLimit = (text: string | undefined, defaultLimit: number): number =>
  text === undefined ? defaultLimit : wholeNumber('--limit', text, { max: 10_000 });

const helpFlags = ['-h', '--help'];

const named = {
  'database-url': { type: 'string' },
  'redis-url': { type: 'string' },
  'admin-url': { type: 'string' },
  'admin-token': { type: 'string' },
} as const;

/** The values of the flags that every command has: where the servers are. */
export type Named = { [Flag in keyof typeof named]?: string };

/** Takes the flags that every command has from the arguments. @throws UsageError when a flag lacks its value */
export function takeCommonFlags(args: string[]): { rest: string[]; help: boolean; named: Named } {
  const options = { help: { type: 'boolean', short: 'h' }, ...named } as const;
  const { tokens, values } = parseArgs({ args, options, strict: false, tokens: true });
  const rest = new Map(args.entries());
  let help = false;
  for (const token of tokens) {
    if (token.kind !== 'option' || !Object.hasOwn(options, token.name)) continue;
    if (token.name === 'help') {
      // -1h is not -h.
      if (!helpFlags.includes(args[token.index] ?? '')) continue;
      help = true;
    }
    rest.delete(token.index);
    if (token.value !== undefined && !token.inlineValue) rest.delete(token.index + 1);
  }
  const given = Object.keys(named).flatMap((flag) => {
    const value = values[flag];
    if (value === true) throw new UsageError(`--${flag} needs a value`);
    return typeof value === 'string' ? [[flag, value] as const] : [];
  });
  return { rest: [...rest.values()], help, named: Object.fromEntries(given) };
}
