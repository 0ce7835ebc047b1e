import { cpSync, existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outputOf } from '@holdfast/testkit/command';

/** A new folder with the tree as git would clone it, changes that are not committed yet included. */
export async function freshClone(root: string, env: NodeJS.ProcessEnv): Promise<string> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = (await outputOf('git', args, { cwd: root, env })).split('\0').filter(Boolean);
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-compose-'));
  // What was deleted and not committed yet is listed, too.
  for (const file of files.filter((name) => existsSync(join(root, name))))
    cpSync(join(root, file), join(folder, file));
  return folder;
}
