import { UsageError } from '@holdfast/kit/flags';

/** An error that the user can fix: shown without a stack. */
export class LaunchError extends Error {
  override name = 'LaunchError';
}

export async function exitWith(main: () => Promise<number>): Promise<never> {
  try {
    process.exit(await main());
  } catch (error) {
    const isPlain = error instanceof LaunchError || error instanceof UsageError;
    process.stderr.write(`${isPlain ? error.message : String((error as Error).stack)}\n`);
    process.exit(1);
  }
}
