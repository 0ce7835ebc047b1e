/** Ends the output with the skipped tests and one line for machines: `N passed, N failed`. */
export default class PlainReporter {
  constructor({ testNamePattern }) {
    this.isPart = Boolean(testNamePattern);
  }

  onRunComplete(_contexts, results) {
    const lines = [...(this.isPart ? [] : skipped(results)), summary(results)];
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

/** A file that could not be run counts as one failure. */
export function summary(results) {
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
  const left = results.numPendingTests + results.numTodoTests;
  return `${results.numPassedTests} passed, ${failed} failed${left > 0 ? `, ${left} skipped` : ''}`;
}
