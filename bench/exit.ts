import { UsageError } from '@holdfast/kit/flags';
import { LaunchError } from '@holdfast/local/launch/launchError';
import { Interrupted } from './interruption.ts';

/** Ends the process with the exit code that `main` answers, or with what it throws in a line, where that is clear. */
export async function exitWith(main: () => Promise<number>): Promise<never> {
  try {
    process.exit(await main());
  } catch (error) {
    const isClear = [UsageError, LaunchError, Interrupted].some((kind) => error instanceof kind);
    process.stderr.write(`${isClear ? (error as Error).message : String((error as Error).stack)}\n`);
    process.exit(error instanceof UsageError ? 2 : error instanceof Interrupted ? 130 : 1);
  }
}
