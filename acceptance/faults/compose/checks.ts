import { reasonOf } from '@holdfast/kit/within';

/** Runs named checks, counts them, and prints each result. */
export function startChecks(say: (line: string) => void) {
  const counts = { passed: 0, failed: 0 };
  return {
    counts,
    /** Returns whether the check passed; an error is printed and counts as a failure. */
    async check(name: string, holds: () => void | Promise<void>): Promise<boolean> {
      try {
        await holds();
        counts.passed++;
        say(`ok      ${name}`);
        return true;
      } catch (error) {
        counts.failed++;
        say(`FAILED  ${name}: ${reasonOf(error)}`);
        return false;
      }
    },
  };
}

export type Check = ReturnType<typeof startChecks>['check'];

/** @throws with the number of `wrong` and its first entries, unless it is empty */
export function expectNone(what: string, wrong: string[]): void {
  if (wrong.length > 0) throw new Error(`${wrong.length} ${what}: ${wrong.slice(0, 5).join('; ')}`);
}
