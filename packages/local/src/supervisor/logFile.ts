import { closeSync, existsSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs';

const tailBytes = 16_384;
const shownErrors = 5;

export function rotateLog(path: string): void {
  if (existsSync(path)) renameSync(path, `${path}.1`);
}

export function logSize(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

function readTail(path: string, fromByte: number): string {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const position = Math.max(fromByte, size - tailBytes);
    const buffer = Buffer.alloc(Math.max(size - position, 0));
    readSync(file, buffer, 0, buffer.length, position);
    const text = buffer.toString('utf8');
    return position > fromByte ? text.slice(text.indexOf('\n') + 1) : text;
  } finally {
    closeSync(file);
  }
}

function errorIn(line: string): string | undefined {
  if (!line.startsWith('{')) return plainErrorIn(line);
  try {
    const { level, msg, err } = JSON.parse(line) as {
      level?: unknown;
      msg?: unknown;
      err?: { message?: unknown };
    };
    const isError = level === 'error' || level === 'fatal' || (typeof level === 'number' && level >= 50);
    return isError ? [msg, err?.message].filter((text) => typeof text === 'string').join(': ') : undefined;
  } catch {
    return undefined;
  }
}

/** An indented line continues the one before, except those of ConfigError, which begin with the name of a setting. */
const continuation = /^$|^(?! {2}[A-Z\d_]{2,}\b)\s/;

/** LOG_FORMAT=pretty writes the level after the time. */
function plainErrorIn(line: string): string | undefined {
  const [, level, text] = /^\[[\d:.]+\] ([A-Z]+): (.*)$/.exec(line) ?? [];
  if (level !== undefined) return ['ERROR', 'FATAL'].includes(level) ? text : undefined;
  return continuation.test(line) ? undefined : line.trim();
}

/** The last errors after `fromByte`: pino lines of level error and above, and lines that are not JSON. */
export function lastErrors(path: string, fromByte: number): string[] {
  if (!existsSync(path)) return [];
  return readTail(path, fromByte)
    .split('\n')
    .map(errorIn)
    .filter((line) => line !== undefined)
    .slice(-shownErrors);
}
