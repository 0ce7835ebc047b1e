import { UsageError } from '@holdfast/kit/flags';

/** What the person who started this can read and fix: shown without a stack. */
export class LaunchError extends Error {
  override name = 'LaunchError';
}

/** Ends the process with the exit code that `main` returns, or with 1 and the error. */
export async function exitWith(main: () => Promise<number>): Promise<never> {
  try {
    process.exit(await main());
  } catch (error) {
    const isPlain = error instanceof LaunchError || error instanceof UsageError;
    process.stderr.write(`${isPlain ? error.message : String((error as Error).stack)}\n`);
    process.exit(1);
  }
}
