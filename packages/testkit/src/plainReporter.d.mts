export type Counts = Record<
  'numPassedTests' | 'numFailedTests' | 'numRuntimeErrorTestSuites' | 'numPendingTests' | 'numTodoTests',
  number
>;

export type Test = { status: string; fullName: string };

export type Files = {
  testResults: { testFilePath: string; testExecError?: unknown; testResults: Test[] }[];
};

export function skipped(results: Files): string[];
export function failed(results: Files, rootDir: string): string[];
export function summary(results: Counts): string;
