import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { charts, withCharts } from './charts.ts';
import type { Report } from './report.ts';

const root = resolve(import.meta.dirname, '..');

/** Writes a result to `bench/results` and its charts to docs/benchmarks.md; returns the changed files. */
export async function keep(result: Report): Promise<string[]> {
  const commit = readCommit();
  const day = result.at.slice(0, 10);
  const folder = join(root, 'bench/results');
  await mkdir(folder, { recursive: true });
  const file = join(folder, await freeName(folder, `${day}-${commit.hash}`));
  await writeFile(file, `${JSON.stringify({ commit, ...result }, null, 2)}\n`);
  const text = charts(result.figures, `${day}, ${commit.hash}`);
  if (text === null) return [relative(root, file)];
  const page = join(root, 'docs/benchmarks.md');
  await writeFile(page, withCharts(await readFile(page, 'utf8'), text));
  return [file, page].map((changed) => relative(root, changed));
}

export async function keepAs(what: string, result: { at: string }): Promise<string> {
  const commit = readCommit();
  const folder = join(root, 'bench/results');
  await mkdir(folder, { recursive: true });
  const file = join(folder, await freeName(folder, `${result.at.slice(0, 10)}-${commit.hash}-${what}`));
  await writeFile(file, `${JSON.stringify({ commit, ...result }, null, 2)}\n`);
  return relative(root, file);
}

async function freeName(folder: string, stem: string): Promise<string> {
  const taken = new Set(await readdir(folder));
  for (let nth = 1; ; nth++) {
    const name = nth === 1 ? `${stem}.json` : `${stem}-${nth}.json`;
    if (!taken.has(name)) return name;
  }
}

/** `dirty`: with uncommitted changes. */
function readCommit(): { hash: string; dirty: boolean } {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  try {
    const changes = git('status', '--porcelain', '--', ':!bench/results', ':!docs/benchmarks.md');
    return { hash: git('rev-parse', '--short', 'HEAD'), dirty: changes !== '' };
  } catch {
    return { hash: 'unknown', dirty: true };
  }
}
