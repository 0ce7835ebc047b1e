import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Wrong arguments of a command line, which the functions below throw. One line, for whoever typed them. */
export class UsageError extends Error {}

export class UnknownFlagError extends UsageError {
  readonly flag: string;

  constructor(flag: string, message: string) {
    super(message);
    this.flag = flag;
  }
}

type Options = NonNullable<ParseArgsConfig['options']>;

/** The values of flags, where nothing else may be given. @throws UsageError, which names `help` if given */
export function readFlags<const Known extends Options>(args: string[], options: Known, help?: string) {
  return explained(() => parseArgs({ args, options }), help).values;
}

export function readArguments<const Known extends Options>(args: string[], options: Known) {
  return explained(() => parseArgs({ args, options, allowPositionals: true }));
}

export function wholeNumber(
  flag: string,
  text: string,
  { min = 1, max = Number.MAX_SAFE_INTEGER }: { min?: number; max?: number } = {},
): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  throw new UsageError(`${flag} needs a whole number ${range}`);
}

function explained<Result>(read: () => Result, help?: string): Result {
  try {
    return read();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const [, flag] = /^Unknown option '(-[^']*)'/.exec(reason) ?? [];
    const line = flag === undefined ? inOneLine(reason) : `there is no flag ${flag}`;
    const message = help === undefined ? line : `${line}. See ${help}.`;
    throw flag === undefined ? new UsageError(message) : new UnknownFlagError(flag, message);
  }
}

function inOneLine(reason: string): string {
  const [, dashed] = /use '(--[a-z-]+)=-XYZ'/.exec(reason) ?? [];
  if (dashed !== undefined)
    return `${dashed} needs a value; one that begins with a dash is given as ${dashed}=-…`;
  const [, missing] = /^Option '.*(--[a-z-]+) <value>' argument missing/.exec(reason) ?? [];
  if (missing !== undefined) return `${missing} needs a value`;
  return reason.split(/\. |\.?\n/)[0] ?? '';
}
