import { UsageError } from '@holdfast/kit/flags';
import { LaunchError } from '@holdfast/local/launch/launchError';

/** Prints progress to standard error, each line with the seconds since it began. */
export function startConsole(): (line: string) => void {
  const startMs = performance.now();
  return (line) => {
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1).padStart(6);
    process.stderr.write(`${seconds} s  ${line}\n`);
  };
}

class Interrupted extends Error {}

/** Rejects at the first signal. */
export function interruption(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => reject(new Interrupted(`ended by ${signal}`)));
    }
  });
}

/** Ends the process with the exit code that `main` returns, or with its error: one line where that is clear. */
export async function exitWith(main: () => Promise<number>): Promise<never> {
  try {
    process.exit(await main());
  } catch (error) {
    const isClear = [UsageError, LaunchError, Interrupted].some((kind) => error instanceof kind);
    process.stderr.write(`${isClear ? (error as Error).message : String((error as Error).stack)}\n`);
    process.exit(error instanceof UsageError ? 2 : error instanceof Interrupted ? 130 : 1);
  }
}
