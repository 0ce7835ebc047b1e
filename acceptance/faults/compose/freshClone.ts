import { cpSync, existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outputOf } from '@holdfast/testkit/command';

/** Copies the tree into a new folder as git would clone it, including uncommitted changes. */
export async function freshClone(root: string, env: NodeJS.ProcessEnv): Promise<string> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = (await outputOf('git', args, { cwd: root, env })).split('\0').filter(Boolean);
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-compose-'));
  // git also lists files whose deletion is not committed.
  for (const file of files.filter((name) => existsSync(join(root, name))))
    cpSync(join(root, file), join(folder, file));
  return folder;
}
