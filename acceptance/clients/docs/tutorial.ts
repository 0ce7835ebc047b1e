import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { outputOf } from '@holdfast/testkit/command';

const root = resolve(import.meta.dirname, '../../..');

/** The fenced blocks of a language on a page of the repository, in order. */
export const blocks = (page: string, language: string): string[] =>
  fencedIn(readFileSync(join(root, page), 'utf8'), language);

/** The fenced blocks of a language in a text of Markdown, in order. */
export function fencedIn(markdown: string, language: string): string[] {
  const fences = markdown.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'));
  return [...fences].map(([, text]) => text ?? '');
}

/** Runs the tutorial in bash in `folder` and returns its output. @throws when it takes over a minute */
export async function runTutorial(folder: string, env: NodeJS.ProcessEnv, before = ''): Promise<string> {
  const script = [before, ...blocks('docs/tutorial.md', 'bash')].join('\n');
  return await outputOf('bash', ['-c', script], { cwd: folder, env, timeoutMs: 60_000 });
}

/** Checks of the tutorial's output, with a starting balance of 100. A check throws if the output is wrong. */
export const tutorialChecks: Record<string, (output: string) => void> = {
  'makes a thumbnail of an uploaded image'(output) {
    assert.match(
      output,
      /"status":"COMPLETED","output":\{"images":\[\{"file_id":"file_[^"]+","format":"webp","width":320,"height":240\}\]\}/,
    );
  },
  'receives a correctly signed webhook for every final status'(output) {
    for (const ending of ['completed', 'failed', 'cancelled'])
      assert.match(output, new RegExp(`^execution\\.${ending} exec_\\S+ signature ok$`, 'm'));
    assert.doesNotMatch(output, /WRONG/);
  },
  'gets the original execution for a repeated idempotency key'(output) {
    assert.match(output, /^HTTP\/1\.1 202 Accepted\s+Idempotent-Replayed: true\s+\{"id":"exec_/m);
  },
  'shows why a run failed, and a cancelled execution'(output) {
    assert.match(output, /"error":\{"code":"CONTENT_MODERATION_REJECTED"/);
    assert.match(output, /"status":"CANCELLED"/);
  },
  'pays only for the two images'(output) {
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
