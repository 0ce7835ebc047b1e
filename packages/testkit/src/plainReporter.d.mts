export type Counts = Record<
  'numPassedTests' | 'numFailedTests' | 'numRuntimeErrorTestSuites' | 'numPendingTests' | 'numTodoTests',
  number
>;

export function summary(results: Counts): string;
