import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, Suite, TestCase } from '@playwright/test/reporter';

const root = path.resolve(import.meta.dirname, '../..');

const onALine = (text: string) => stripVTControlCharacters(text).replaceAll(/\s*\n\s*/g, ' ');

function failed(test: TestCase): string {
  const [, , , ...titles] = test.titlePath();
  const message = test.results.at(-1)?.error?.message ?? '';
  const file = path.relative(root, test.location.file);
  return onALine(`failed: ${titles.join(' ')} (${file}): ${message.slice(0, 1_000)}`);
}

/** Ends the output like Jest's reporter of this repository: a line for each failure, then `N passed, N failed`. */
export default class PlainReporter implements Reporter {
  #tests: TestCase[] = [];
  #errors: string[] = [];

  onBegin(_config: unknown, suite: Suite): void {
    this.#tests = suite.allTests();
  }

  /** What belongs to no test, such as a file that can't be read. */
  onError({ message = '' }: { message?: string }): void {
    this.#errors.push(onALine(`failed: ${message.slice(0, 1_000)}`));
  }

  onEnd(): void {
    const ended = (outcome: string) => this.#tests.filter((test) => test.outcome() === outcome);
    const failures = [...this.#errors, ...ended('unexpected').map(failed)];
    const left = ended('skipped').length;
    const counts = `${ended('expected').length} passed, ${failures.length} failed`;
    console.log([...failures, left > 0 ? `${counts}, ${left} skipped` : counts].join('\n'));
  }
}
