import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UnknownFlagError, UsageError } from './usageError.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

/** The flags of a command that takes nothing else. @throws UsageError */
export function readFlags<const Known extends Options>(args: string[], options: Known) {
  return readArguments(() => parseArgs({ args, options })).values;
}

/** @throws UsageError, in one line, for what `read` (a `parseArgs`) refuses */
export function readArguments<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [, flag] = /^Unknown option '(-[^']*)'/.exec(message) ?? [];
    throw flag === undefined ? new UsageError(inOneLine(message)) : new UnknownFlagError(flag);
  }
}

function inOneLine(message: string): string {
  const [, dashed] = /use '(--[a-z-]+=)-XYZ'/.exec(message) ?? [];
  if (dashed !== undefined) return `a value that begins with a dash is given as ${dashed}-…`;
  return message.split(/\. |\.?\n/)[0] ?? '';
}

/**
 * What a command takes: one operand for each of `names`, then its flags.
 * @throws UsageError that says which operands it takes
 */
export function readOperands<const Names extends readonly string[], const Known extends Options>(
  command: string,
  args: string[],
  names: Names,
  options: Known,
) {
  const read = readArguments(() => parseArgs({ args, options, allowPositionals: true }));
  if (read.positionals.length !== names.length) {
    const wanted = names.length === 0 ? 'nothing but flags' : names.map((name) => `<${name}>`).join(' ');
    throw new UsageError(`holdfast ${command} takes ${wanted}`);
  }
  const empty = names.find((_, index) => read.positionals[index]?.trim() === '');
  if (empty !== undefined) throw new UsageError(`<${empty}> of holdfast ${command} is empty`);
  return { operands: read.positionals as { [Index in keyof Names]: string }, values: read.values };
}

/** Of a flag: how many at most. @throws UsageError */
export function readLimit(text: string | undefined, preset: number): number {
  const limit = /^\d{1,5}$/.test(text ?? String(preset)) ? Number(text ?? preset) : 0;
  if (limit >= 1 && limit <= 10_000) return limit;
  throw new UsageError('--limit needs a number from 1 to 10000');
}

const helpFlags = ['-h', '--help'];

const named = {
  'database-url': { type: 'string' },
  'redis-url': { type: 'string' },
  'admin-url': { type: 'string' },
  'admin-token': { type: 'string' },
} as const;

/** What the flags that every command has say about where things are. */
export type Named = { [Flag in keyof typeof named]?: string };

/**
 * The flags that every command has, and what is left for the command.
 * @throws UsageError when a flag lacks its value
 */
export function takeCommonFlags(args: string[]): { rest: string[]; help: boolean; named: Named } {
  const options = { help: { type: 'boolean', short: 'h' }, ...named } as const;
  const { tokens, values } = parseArgs({ args, options, strict: false, tokens: true });
  const rest = new Map(args.entries());
  let help = false;
  for (const token of tokens) {
    if (token.kind !== 'option' || !Object.hasOwn(options, token.name)) continue;
    if (token.name === 'help') {
      // -1h is no flag that asks for help.
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
