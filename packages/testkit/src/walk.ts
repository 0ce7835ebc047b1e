import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { outputOf } from './command.ts';

const root = resolve(import.meta.dirname, '../../..');

export const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** The fenced blocks of a language in the README's section under a heading, in order. */
export function blocks(heading: string, language: string): string[] {
  const section = readme.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return fencedIn(section, language);
}

/** The fenced blocks of a language in a text of Markdown, in order. */
export function fencedIn(markdown: string, language: string): string[] {
  const fences = markdown.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'));
  return [...fences].map(([, text]) => text ?? '');
}

/** The README's walk, pasted into bash in `folder`; answers what was printed. @throws when it takes over a minute */
export async function walk(folder: string, env: NodeJS.ProcessEnv, before = ''): Promise<string> {
  const script = [before, ...blocks('A walk with curl', 'bash')].join('\n');
  return await outputOf('bash', ['-c', script], { cwd: folder, env, timeoutMs: 60_000 });
}

/** What the walk prints, once: it began with a balance of 100. Each throws when it is not so. */
export const promisesOfTheWalk: Record<string, (output: string) => void> = {
  'makes a thumbnail of an uploaded picture'(output) {
    assert.match(
      output,
      /"status":"COMPLETED","output":\{"images":\[\{"file_id":"file_[^"]+","format":"webp","width":320,"height":240\}\]\}/,
    );
  },
  'hears of every ending by a webhook with a right signature'(output) {
    for (const ending of ['completed', 'failed', 'cancelled'])
      assert.match(output, new RegExp(`^execution\\.${ending} exec_\\S+ signature ok$`, 'm'));
    assert.doesNotMatch(output, /WRONG/);
  },
  'gets the original execution for a repeated idempotency key'(output) {
    assert.match(output, /^HTTP\/1\.1 202 Accepted\s+Idempotent-Replayed: true\s+\{"id":"exec_/m);
  },
  'sees why a run failed, and a cancelled one released'(output) {
    assert.match(output, /"error":\{"code":"CONTENT_MODERATION_REJECTED"/);
    assert.match(output, /"status":"CANCELLED"/);
  },
  'pays for the two pictures alone'(output) {
    const balances = [...output.matchAll(/^\{"available":"(\S+?)","held":"(\S+?)"/gm)].map((found) =>
      found.slice(1),
    );
    assert.deepEqual(balances, [
      ['100.00', '0.00'],
      ['99.94', '0.00'],
      ['99.94', '0.00'],
    ]);
  },
};
