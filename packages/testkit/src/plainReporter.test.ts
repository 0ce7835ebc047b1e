import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { failed, skipped, summary } from './plainReporter.mjs';

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

it('names each skipped test on a line', () => {
  const ran = { status: 'passed', fullName: 'redis runs' };
  const left = { status: 'pending', fullName: 'helm (skipped without helm) makes the same' };
  const testFilePath = '/tree/acceptance/operations/helm.test.ts';
  const results = { testResults: [{ testFilePath, testResults: [ran, left] }] };
  expect(skipped(results)).toEqual(['skipped: helm (skipped without helm) makes the same']);
});

it('names each failed test, its file and the error on a line, and each file that could not be run', () => {
  const ran = { status: 'passed', fullName: 'a batch is written', failureMessages: [] };
  const failureMessages = [
    'Error: \u001b[31mit was\u001b[39m\n\n  not written\n    at write (batcher.ts:1:2)\n    at x',
  ];
  const broken = { status: 'failed', fullName: 'a batch of\n  two is written', failureMessages };
  const results = {
    testResults: [
      { testFilePath: '/tree/packages/kit/src/batcher.test.ts', testResults: [ran, broken] },
      { testFilePath: '/tree/bench/load.test.ts', testExecError: new Error('syntax'), testResults: [] },
    ],
  };
  expect(failed(results, '/tree')).toEqual([
    'failed: a batch of two is written (packages/kit/src/batcher.test.ts): Error: it was not written',
    'failed: a file that could not be run (bench/load.test.ts)',
  ]);
});

describe('the end of a CI run that failed', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'holdfast-ci-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function endOf(...logs: string[]): string {
    const files = logs.map((log, index) => {
      const file = path.join(folder, String(index));
      writeFileSync(file, log);
      return file;
    });
    return execFileSync(path.join(import.meta.dirname, '../../../.ci/failures'), files, { encoding: 'utf8' });
  }

  it('repeats the failed checks and tests of all parts, and adds up their counts', () => {
    const verify = [
      'x failed: not a line of the reporter',
      'failed: a b (c.test.ts)',
      '3 passed, 1 failed',
      '',
      'FAILED  lint (3.0 s)',
      'ok      format (1.0 s)',
      'FAILED  tests (9.0 s)',
      '',
      '4 passed, 2 failed',
      '',
    ].join('\n');
    const acceptance = 'failed: d e (f.test.ts)\n7 passed, 1 failed, 2 skipped\n';
    expect(endOf(verify, acceptance).trim().split('\n')).toEqual([
      '== what failed',
      'failed: a b (c.test.ts)',
      'FAILED  lint (3.0 s)',
      'FAILED  tests (9.0 s)',
      'failed: d e (f.test.ts)',
      '',
      '11 passed, 3 failed',
    ]);
  });

  it('counts a failure when no part reported one', () => {
    expect(endOf('4 passed, 0 failed\n', 'killed\n')).toMatch(
      /Nothing was reported.*\n\n4 passed, 1 failed\n$/,
    );
  });
});
