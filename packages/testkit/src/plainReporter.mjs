import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Ends the output with the skipped and failed tests and one line for machines: `N passed, N failed`. */
export default class PlainReporter {
  constructor({ rootDir, testNamePattern }) {
    this.rootDir = rootDir;
    this.isPart = Boolean(testNamePattern);
  }

  onRunComplete(_contexts, results) {
    const left = this.isPart ? [] : skipped(results);
    const lines = [...left, ...failed(results, this.rootDir), summary(results)];
    // Jest prints its own summary later, before the process exits.
    process.once('exit', () => process.stdout.write(`${lines.join('\n')}\n`));
  }
}

export function skipped({ testResults }) {
  return testResults
    .flatMap((file) => file.testResults)
    .filter(({ status }) => status === 'pending')
    .map(({ fullName }) => `skipped: ${fullName}`);
}

/** `.ci/failures` finds these lines in a log. */
export function failed({ testResults }, rootDir) {
  return testResults.flatMap((file) => {
    const name = path.relative(rootDir, file.testFilePath);
    if (file.testExecError) return [`failed: a file that could not be run (${name})`];
    return file.testResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) =>
        onALine(`failed: ${fullName} (${name}): ${withoutStack(failureMessages[0] ?? '')}`),
      );
  });
}

const withoutStack = (message) =>
  stripVTControlCharacters(message)
    .split(/\n\s+at /, 1)[0]
    .slice(0, 1_000);
const onALine = (text) => text.replaceAll(/\s*\n\s*/g, ' ');

/** A file that could not be run counts as one failure. */
export function summary(results) {
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
  const left = results.numPendingTests + results.numTodoTests;
  return `${results.numPassedTests} passed, ${failed} failed${left > 0 ? `, ${left} skipped` : ''}`;
}
