import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { outputOf } from '@holdfast/testkit/command';

const root = resolve(import.meta.dirname, '../..');
const groups = ['packages', 'services'] as const;

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

/**
 * Checks out the services of a commit into `folder`, with the dependencies that this tree has installed and their own
 * Prisma client. Returns the dependencies that are not installed here; if there are any, the services cannot run.
 */
export async function checkOut(commit: string, folder: string): Promise<string[]> {
  const archive = join(folder, 'tree.tar');
  await git(
    'archive',
    `--output=${archive}`,
    commit,
    'packages',
    'services',
    'prisma',
    'models',
    'package.json',
  );
  await outputOf('tar', ['-xf', archive, '-C', folder], { env: process.env });
  const members = groups.flatMap((group) =>
    readdirSync(join(folder, group))
      // Its tests are not run.
      .filter((name) => name !== 'testkit')
      .map((name) => join(group, name)),
  );
  const missing = members.flatMap((member) => linkDependencies(folder, member));
  await generateClient(folder);
  if (named && missing.length > 0)
    throw new Error(`${named} needs what is not installed: ${missing.join(', ')}`);
  return missing;
}

/** Links packages as pnpm does: ours to the folders of that commit, others to those installed here. Returns the missing ones. */
function linkDependencies(folder: string, member: string): string[] {
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, member, 'package.json'), 'utf8'));
  return Object.keys(dependencies).filter((name) => {
    const installed = [join(root, member, 'node_modules'), join(root, 'node_modules/.pnpm/node_modules')];
    const places = [...ownFolders(folder, name), ...installed.map((place) => join(place, name))];
    const target = places.find(existsSync);
    if (target === undefined) return true;
    const link = join(folder, member, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(realpathSync(target), link);
    return false;
  });
}

function ownFolders(folder: string, name: string): string[] {
  if (!name.startsWith('@holdfast/')) return [];
  return groups.map((group) => join(folder, group, name.slice('@holdfast/'.length)));
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
