import { type Logger, pino } from 'pino';

export type { Logger };

/** Secrets and content never reach a log, whoever passes them by mistake. */
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

/** JSON lines on standard output, each with the service's name. */
export function createLogger(service: string, level: string): Logger {
  return pino({
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: redacted, censor: '[redacted]' },
    formatters: { level: (label) => ({ level: label }) },
  });
}
