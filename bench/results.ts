import { execFileSync } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { latencyPicture } from './pictures/latency.ts';
import { ratePicture } from './pictures/rate.ts';
import type { Report } from './report.ts';

const root = resolve(import.meta.dirname, '..');

/**
 * Keeps a result under its day and commit, and draws what it has of the curves for the README. Answers the files, from
 * the root of the project.
 */
export async function keep(result: Report): Promise<string[]> {
  const commit = readCommit();
  const day = result.at.slice(0, 10);
  const folder = join(root, 'bench/results');
  await mkdir(folder, { recursive: true });
  const name = await freeName(folder, `${day}-${commit.hash}`);
  const pictures = [
    ['docs/bench/rate.svg', ratePicture(result.figures, `${day}, ${commit.hash}`)],
    ['docs/bench/latency.svg', latencyPicture(result.figures, `${day}, ${commit.hash}`)],
  ] as const;
  const files: [string, string][] = [
    [join(folder, name), `${JSON.stringify({ commit, ...result }, null, 2)}\n`],
    ...pictures.flatMap(([file, svg]): [string, string][] => (svg === null ? [] : [[join(root, file), svg]])),
  ];
  for (const [file, text] of files) {
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, text);
  }
  return files.map(([file]) => relative(root, file));
}

/** Keeps the result of something else than the bench: `<day>-<commit>-<what>.json`. Answers the file. */
export async function keepAs(what: string, result: { at: string }): Promise<string> {
  const commit = readCommit();
  const folder = join(root, 'bench/results');
  await mkdir(folder, { recursive: true });
  const file = join(folder, await freeName(folder, `${result.at.slice(0, 10)}-${commit.hash}-${what}`));
  await writeFile(file, `${JSON.stringify({ commit, ...result }, null, 2)}\n`);
  return relative(root, file);
}

/** Several runs of one commit stay beside each other. */
async function freeName(folder: string, stem: string): Promise<string> {
  const taken = new Set(await readdir(folder));
  for (let nth = 1; ; nth++) {
    const name = nth === 1 ? `${stem}.json` : `${stem}-${nth}.json`;
    if (!taken.has(name)) return name;
  }
}

/** What was measured; `dirty`: with changes that are in no commit. */
function readCommit(): { hash: string; dirty: boolean } {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  try {
    const changes = git('status', '--porcelain', '--', ':!bench/results', ':!docs/bench');
    return { hash: git('rev-parse', '--short', 'HEAD'), dirty: changes !== '' };
  } catch {
    return { hash: 'unknown', dirty: true };
  }
}
