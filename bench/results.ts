import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

/** Writes a result in place of the one before (Git keeps that one), and returns the file. */
export async function keep(kind: 'bench' | 'soak', result: { at: string }): Promise<string> {
  const file = join(root, 'bench/results', `${kind}.json`);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, `${JSON.stringify({ commit: readCommit(), ...result }, null, 2)}\n`);
  return relative(root, file);
}

/** `dirty`: with uncommitted changes. */
function readCommit(): { hash: string; dirty: boolean } {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  try {
    const changes = git('status', '--porcelain', '--', ':!bench/results');
    return { hash: git('rev-parse', '--short', 'HEAD'), dirty: changes !== '' };
  } catch {
    return { hash: 'unknown', dirty: true };
  }
}
