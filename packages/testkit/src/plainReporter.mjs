/** Ends the run with what was not tested here, a line each, and one line for machines: `N passed, N failed`. */
export default class PlainReporter {
  constructor({ testNamePattern }) {
    this.isPart = Boolean(testNamePattern);
  }

  onRunComplete(_contexts, results) {
    const lines = [...(this.isPart ? [] : skipped(results)), summary(results)];
    // Jest's own summary is written after this: only the end of the process is the end.
    process.once('exit', () => process.stdout.write(`${lines.join('\n')}\n`));
  }
}

/** The names of the tests that were left out; they say why. */
export function skipped({ testResults }) {
  return testResults
    .flatMap((file) => file.testResults)
    .filter(({ status }) => status === 'pending')
    .map(({ fullName }) => `skipped: ${fullName}`);
}

/** A file that could not be run at all counts as one failure. */
export function summary(results) {
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
  const left = results.numPendingTests + results.numTodoTests;
  return `${results.numPassedTests} passed, ${failed} failed${left > 0 ? `, ${left} skipped` : ''}`;
}
