import { readFileSync } from 'node:fs';

/** What keeps a file, named by `parameter` of a URL, from being a certificate or a key; null when nothing does. */
export function pemFileProblem(parameter: string, path: string): string | null {
  try {
    return readFileSync(path, 'utf8').includes('-----BEGIN ') ? null : `${parameter} ${path} is no PEM file`;
  } catch (error) {
    return `${parameter} ${path} can't be read (${(error as NodeJS.ErrnoException).code})`;
  }
}
