import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runCommand } from '@holdfast/testkit/command';

export const root = resolve(import.meta.dirname, '../../..');

/** A clone of this repository's last commit, to release in. */
export type ReleaseClone = Awaited<ReturnType<typeof cloneForRelease>>;

const identity = { NAME: 'Test', EMAIL: 'test@example.com' };
const env = {
  ...process.env,
  ...Object.fromEntries(
    Object.entries(identity).flatMap(([key, value]) => [
      [`GIT_AUTHOR_${key}`, value],
      [`GIT_COMMITTER_${key}`, value],
    ]),
  ),
};

async function successful(command: string, args: string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await runCommand(command, args, { cwd, env, timeoutMs: 60_000 });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}

export async function cloneForRelease(changelog: string) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-release-'));
  await successful('git', ['clone', '--quiet', '--shared', root, folder], root);
  const git = (...args: string[]) => successful('git', args, folder);
  const start = await git('rev-parse', 'HEAD');
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
  const commitAll = async (subject: string) => {
    await git('add', '--all');
    await git('commit', '--quiet', '--allow-empty', '--message', subject);
  };
  for (const tag of (await git('tag')).split('\n').filter(Boolean)) await git('tag', '--delete', tag);
  write('CHANGELOG.md', changelog);
  await commitAll('test: begin a changelog');
  return {
    folder,
    /** The commit of this repository. */
    start,
    git,
    read,
    write,
    commitAll,
    /** Runs the task without `scripts/run.mjs`, which would install the dependencies. */
    release: (...args: string[]) => {
      const program = `
        const { release } = await import('./scripts/release.mjs');
        process.exitCode = await release(${JSON.stringify(args)}).catch((error) => (console.error(error.message), 1));`;
      return runCommand(process.execPath, ['--input-type=module', '--eval', program], { cwd: folder, env });
    },
  };
}
