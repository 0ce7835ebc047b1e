import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';

export type { Logger };

/** Redacted wherever they occur, in case one is logged by mistake. */
const redacted = [
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
].flatMap((name) => [name, `*.${name}`]);

export type LogFormat = 'json' | 'pretty';

/** Undefined: JSON on standard output; otherwise a stream of readable lines, the default on a terminal. */
export async function logOutput(
  format: LogFormat | undefined,
  out: NodeJS.WriteStream = process.stdout,
): Promise<DestinationStream | undefined> {
  if ((format ?? (out.isTTY ? 'pretty' : 'json')) === 'json') return undefined;
  // Loaded here: few processes have a terminal.
  const { prettyFactory } = await import('pino-pretty');
  const lineOf = prettyFactory({
    colorize: out.isTTY && out.hasColors(),
    translateTime: 'SYS:HH:MM:ss.l',
    messageFormat: '{service}: {msg}',
    ignore: 'service',
    singleLine: true,
  });
  return { write: (json) => void out.write(lineOf(json)) };
}

export function createLogger(service: string, level: string, to?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: redacted, censor: '[redacted]' },
    serializers: { err: describe },
    formatters: { level: (label) => ({ level: label }) },
  };
  return to ? pino(options, to) : pino(options);
}

/** Selected fields only: database errors quote rows, HTTP errors quote requests. */
function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? error.code : undefined;
  return { type: name, message, stack, code, cause: cause && describe(cause) };
}
