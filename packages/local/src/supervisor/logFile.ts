import { closeSync, existsSync, fstatSync, openSync, readSync, renameSync } from 'node:fs';

/** Puts the last start's log aside as `<path>.1`. */
export function rotateLog(path: string): void {
  if (existsSync(path)) renameSync(path, `${path}.1`);
}

function readTail(path: string, bytes: number): string {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const buffer = Buffer.alloc(Math.min(bytes, size));
    readSync(file, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString('utf8');
  } finally {
    closeSync(file);
  }
}

function errorIn(line: string): string | undefined {
  if (!line.startsWith('{')) return line.trim() === '' ? undefined : line;
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

/** The last few errors of a service's log: pino lines of level error and above, and whatever isn't JSON. */
export function lastErrors(path: string, count = 5): string[] {
  if (!existsSync(path)) return [];
  return readTail(path, 16_384)
    .split('\n')
    .map(errorIn)
    .filter((line) => line !== undefined)
    .slice(-count);
}
