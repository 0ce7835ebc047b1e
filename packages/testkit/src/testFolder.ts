import { chmodSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { readTestServers } from './config.ts';

/**
 * A new folder, removed at the end of the run with the servers on its data. World-readable: PostgreSQL runs as
 * another user when we are root.
 */
export function testFolder(name: string): string {
  const folder = mkdtempSync(join(readTestServers().folder, `${name}-`));
  chmodSync(folder, 0o755);
  return folder;
}
