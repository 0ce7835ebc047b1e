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

const place = () => ({ binaries: folder, folder, account: undefined, isDurable: false });

it.each([
  [
    'could not write to file "pg_wal/xlogtemp.7": No space left on device',
    'FATAL:  could not write to file "pg_wal/xlogtemp.7": No space left on device\nchild process exited with exit code 1',
  ],
  ['child process was terminated by signal 11', 'child process was terminated by signal 11'],
  // The loader's line is the cause; initdb only says what it could not do.
  [
    'postgres: error while loading shared libraries: libicu.so',
    'postgres: error while loading shared libraries: libicu.so\ninitdb: error: program "postgres" was not found',
  ],
])(
  "says why PostgreSQL's data folder can't be made (%s), not what initdb does next",
  async (cause, stderr) => {
    mkdirSync(join(folder, 'bin'));
    const script = `#!/bin/sh\necho '${stderr}\ninitdb: removing data directory' >&2\nexit 1\n`;
    writeFileSync(join(folder, 'bin/initdb'), script, { mode: 0o755 });
    const making = initialise(place());
    await expect(making).rejects.toThrow(/^PostgreSQL's data folder can't be made: /);
    await expect(making).rejects.toThrow(cause);
    await expect(making).rejects.not.toThrow(/removing/);
  },
);
