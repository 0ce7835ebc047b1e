import type { Output } from './invocation.ts';

/** Standard output and standard error, as a command writes to them. */
export function openTerminal(): Output {
  // A reader such as `head` may close the output early: the command still ends with its own exit code.
  const outputClosed = new AbortController();
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      if (stream === process.stdout) outputClosed.abort();
    });
  }
  return {
    print: (line) => process.stdout.write(`${line}\n`),
    report: (line) => process.stderr.write(`${line}\n`),
    outputClosed: outputClosed.signal,
    width: terminalWidth(process.stdout),
  };
}

/** Columns of a terminal; null for any other stream, and for a terminal without a width (`script`, CI). */
export const terminalWidth = ({ isTTY, columns }: { isTTY?: boolean; columns?: number }): number | null =>
  (isTTY && columns) || null;

const signals = ['SIGINT', 'SIGTERM'] as const;

/** Runs `work`, which Ctrl-C does not end but whose signal it aborts. */
export async function interruptible<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const interrupt = new AbortController();
  const stop = () => interrupt.abort();
  for (const signal of signals) process.on(signal, stop);
  try {
    return await work(interrupt.signal);
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}
