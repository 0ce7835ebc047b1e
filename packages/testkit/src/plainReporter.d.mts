export type Counts = Record<
  'numPassedTests' | 'numFailedTests' | 'numRuntimeErrorTestSuites' | 'numPendingTests' | 'numTodoTests',
  number
>;

export type Files = { testResults: { testResults: { status: string; fullName: string }[] }[] };

export function skipped(results: Files): string[];
export function summary(results: Counts): string;
