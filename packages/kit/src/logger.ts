import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { backgroundOutput } from './backgroundOutput.ts';

export type { Logger };

/** Redacted wherever they occur, in case one is logged by mistake. */
const redacted = new Set([
  'authorization',
  'headers',
  'input',
  'output',
  'body',
  'secret',
  'key',
  'token',
  'password',
  'url',
]);

type Fields = Record<string, unknown>;

/** The fields themselves unless one is redacted, here or one level deeper: pino's `redact` copies every line, 30 KB each. */
function censor(fields: Fields, censorNested = censorValue): Fields {
  let copy: Fields | null = null;
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    const shown = redacted.has(name) ? '[redacted]' : censorNested(value);
    if (value === undefined || shown === value) continue;
    copy ??= { ...fields };
    copy[name] = shown;
  }
  return copy ?? fields;
}

/** Errors are described by their serializer. */
function censorValue(value: unknown): unknown {
  const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isPlain && !(value instanceof Error) ? censor(value as Fields, (nested) => nested) : value;
}

export type LogFormat = 'json' | 'pretty';

/** The JSON itself, or, by default on a terminal, lines for people. */
export async function logOutput(
  format: LogFormat | undefined,
  out: typeof process.stdout = process.stdout,
): Promise<DestinationStream> {
  if ((format ?? (out.isTTY ? 'pretty' : 'json')) === 'json') return backgroundOutput(out.fd);
  // Loaded here: few processes have a terminal.
  const { prettyFactory } = await import('pino-pretty');
  const lineOf = prettyFactory({
    colorize: out.isTTY && out.hasColors(),
    translateTime: 'SYS:HH:MM:ss.l',
    messageFormat: '{service}: {msg}',
    ignore: 'service',
    singleLine: true,
  });
  out.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOSPC') throw error;
  });
  return { write: (json) => void out.write(lineOf(json)) };
}

export function createLogger(service: string, level: string, to?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describe },
    formatters: { level: (label) => ({ level: label }), log: censor },
  };
  const log = to ? pino(options, to) : pino(options);
  const { child } = log;
  // Children inherit it. pino's formatter of bindings is not called for them.
  return Object.assign(log, {
    child(this: Logger, fields: Fields) {
      return child.call(this, censor(fields));
    },
  });
}

/** Selected fields only: database errors quote rows, HTTP errors quote requests. */
function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? error.code : undefined;
  return { type: name, message, stack, code, cause: cause && describe(cause) };
}
