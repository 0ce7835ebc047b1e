import { chmodSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { readTestServers } from './config.ts';

/**
 * A new folder in `root`; by default one that is removed at the end of the run with the servers on its data.
 * World-readable: PostgreSQL runs as another user when we are root.
 */
export function testFolder(name: string, root = readTestServers().folder): string {
  const folder = mkdtempSync(join(root, `${name}-`));
  chmodSync(folder, 0o755);
  return folder;
}
