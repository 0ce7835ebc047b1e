import { chmodSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { readTestServers } from './config.ts';

/**
 * A fresh folder that is removed with the test run at the latest, and with it the embedded servers on data in it,
 * even when Jest is killed. Every user of this machine can enter it: Postgres is another one when we are root.
 */
export function testFolder(name: string): string {
  const folder = mkdtempSync(join(readTestServers().folder, `${name}-`));
  chmodSync(folder, 0o755);
  return folder;
}
