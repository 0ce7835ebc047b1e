import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { initialise } from './dataFolder.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-data-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

it("names the cause when PostgreSQL's data folder can't be made, not what initdb does next", async () => {
  mkdirSync(join(folder, 'bin'));
  const stderr = `FATAL:  could not write to file "pg_wal/xlogtemp.7": No space left on device
child process exited with exit code 1
initdb: removing data directory`;
  writeFileSync(join(folder, 'bin/initdb'), `#!/bin/sh\necho '${stderr}' >&2\nexit 1\n`, { mode: 0o755 });
  const place = { binaries: folder, folder, account: undefined, isDurable: false };
  await expect(initialise(place)).rejects.toThrow(
    `PostgreSQL's data folder can't be made: could not write to file "pg_wal/xlogtemp.7": No space left on device`,
  );
});
