import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from './usageError.ts';

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
    // The rest of such a text explains how an argument that begins with a dash is given.
    throw new UsageError(
      error instanceof Error ? (error.message.split(/\. |\.?\n/)[0] ?? '') : String(error),
    );
  }
}

/**
 * The flags that every command has, and what is left for the command.
 * @throws UsageError when a flag lacks its value
 */
export function takeCommonFlags(args: string[]): { rest: string[]; help: boolean; databaseUrl?: string } {
  const options = { help: { type: 'boolean', short: 'h' }, 'database-url': { type: 'string' } } as const;
  const { tokens, values } = parseArgs({ args, options, strict: false, tokens: true });
  const rest = new Map(args.entries());
  for (const token of tokens) {
    if (token.kind !== 'option' || !Object.hasOwn(options, token.name)) continue;
    rest.delete(token.index);
    if (token.value !== undefined && !token.inlineValue) rest.delete(token.index + 1);
  }
  const url = values['database-url'];
  if (url === true) throw new UsageError('--database-url needs a value');
  const left = { rest: [...rest.values()], help: values.help === true };
  return typeof url === 'string' ? { ...left, databaseUrl: url } : left;
}
