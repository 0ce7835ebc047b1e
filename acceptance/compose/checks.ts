/** Named checks, counted; each says how it went. */
export function startChecks(say: (line: string) => void) {
  const counts = { passed: 0, failed: 0 };
  return {
    counts,
    /** Answers whether it held. What it throws is told, and counts as failed. */
    async check(name: string, holds: () => void | Promise<void>): Promise<boolean> {
      try {
        await holds();
        counts.passed++;
        say(`ok      ${name}`);
        return true;
      } catch (error) {
        counts.failed++;
        say(`FAILED  ${name}: ${error instanceof Error ? error.message : String(error)}`);
        return false;
      }
    },
  };
}

export type Check = ReturnType<typeof startChecks>['check'];

/** @throws with the number of `wrong` and the first of them, unless there is none */
export function expectNone(what: string, wrong: string[]): void {
  if (wrong.length > 0) throw new Error(`${wrong.length} ${what}: ${wrong.slice(0, 5).join('; ')}`);
}
