/** Ends the run with one line for machines: `N passed, N failed`, and how many were skipped, if any. */
export default class PlainReporter {
  onRunComplete(_contexts, results) {
    // Jest's own summary is written after this: only the end of the process is the end.
    process.once('exit', () => process.stdout.write(`${summary(results)}\n`));
  }
}

/** A file that could not be run at all counts as one failure. */
export function summary(results) {
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
  const skipped = results.numPendingTests + results.numTodoTests;
  return `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
