import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { charts, withCharts } from './charts.ts';
import type { Report } from './report.ts';

const root = resolve(import.meta.dirname, '..');

/** Writes a result in place of the one before, and its charts to docs/benchmarks.md; returns the changed files. */
export async function keep(result: Report): Promise<string[]> {
  const kept = await keepAs('bench', result);
  const text = charts(result.figures, result.at.slice(0, 10));
  if (text === null) return [kept];
  const page = join(root, 'docs/benchmarks.md');
  await writeFile(page, withCharts(await readFile(page, 'utf8'), text));
  return [kept, relative(root, page)];
}

/** Git has the results before: the folder keeps the newest of each kind. */
export async function keepAs(kind: 'bench' | 'soak', result: { at: string }): Promise<string> {
  const file = join(root, 'bench/results', `${kind}.json`);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, `${JSON.stringify({ commit: readCommit(), ...result }, null, 2)}\n`);
  return relative(root, file);
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
