import { describe, expect, it } from '@jest/globals';
import { skipped, summary } from './plainReporter.mjs';

const none = {
  numPassedTests: 0,
  numFailedTests: 0,
  numRuntimeErrorTestSuites: 0,
  numPendingTests: 0,
  numTodoTests: 0,
};

describe('the last line of a test run', () => {
  it.each([
    [{ numPassedTests: 12 }, '12 passed, 0 failed'],
    [{ numPassedTests: 3, numFailedTests: 1 }, '3 passed, 1 failed'],
    [{ numRuntimeErrorTestSuites: 2 }, '0 passed, 2 failed'],
    [{ numPassedTests: 3, numPendingTests: 1, numTodoTests: 1 }, '3 passed, 0 failed, 2 skipped'],
  ])('for %j is %s', (results, line) => {
    expect(summary({ ...none, ...results })).toBe(line);
  });
});

it('tests that were left out are named, a line each', () => {
  const ran = { status: 'passed', fullName: 'redis runs' };
  const left = { status: 'pending', fullName: 'helm (skipped without helm) makes the same' };
  const results = { testResults: [{ testResults: [ran] }, { testResults: [ran, left] }] };
  expect(skipped(results)).toEqual(['skipped: helm (skipped without helm) makes the same']);
});
