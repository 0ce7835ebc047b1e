import { join, resolve } from 'node:path';
import { outputOf } from '@holdfast/testkit/command';
import { installDependencies } from '../../stack/dependencies.ts';

const root = resolve(import.meta.dirname, '../../..');

/** The tag or commit that must be the previous version, such as the last release. */
const named = process.env['PREVIOUS_VERSION'];

/**
 * The commit whose services must work beside ours: the last with other migrations, whatever their names. Null if the history
 * does not reach it.
 */
export async function previousCommit(): Promise<string | null> {
  if (named) return (await git('rev-parse', '--verify', `${named}^{commit}`)).trim();
  try {
    const changed = ['log', '-1', '--find-renames', '--diff-filter=AM', '--format=%H'];
    const [newest] = (await git(...changed, '--', 'prisma/migrations')).split('\n');
    return (await git('rev-parse', '--verify', '--quiet', `${newest}^{commit}~1`)).trim() || null;
  } catch {
    return null;
  }
}

/** Checks out a commit into `folder`, with its own dependencies and Prisma client. */
export async function checkOut(commit: string, folder: string): Promise<void> {
  const archive = join(folder, 'tree.tar');
  await git('archive', `--output=${archive}`, commit);
  await outputOf('tar', ['-xf', archive, '-C', folder], { env: process.env });
  await installDependencies(folder, '--prod');
  await generateClient(folder);
}

async function generateClient(folder: string): Promise<void> {
  const cli = join(root, 'prisma/node_modules/prisma/build/index.js');
  // As in scripts/dependencies.mjs: generating needs no engine, though the CLI requires one.
  const env = {
    ...process.env,
    NODE_OPTIONS: '',
    PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true',
    CHECKPOINT_DISABLE: '1',
  };
  const args = [cli, 'generate', '--schema', join(folder, 'prisma/schema.prisma')];
  await outputOf(process.execPath, args, { cwd: folder, env });
}

async function git(...args: string[]): Promise<string> {
  return await outputOf('git', args, { cwd: root, env: process.env });
}
