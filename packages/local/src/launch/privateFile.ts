import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Mode 600; readers see the old content or the new, never a part. */
export function writePrivateJson(path: string, value: unknown): void {
  const draft = `${path}.${process.pid}.tmp`;
  rmSync(draft, { force: true });
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(draft, path);
}

/** Undefined for a missing file. @throws for invalid JSON */
export function readJson(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return JSON.parse(text);
}
