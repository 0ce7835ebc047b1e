import { exitCodes } from './errors.ts';
import type { Output } from './invocation.ts';
import { cutTo } from './output/width.ts';

/** Standard output and standard error, as a command writes to them. */
export function openTerminal(): Output {
  const outputClosed = new AbortController();
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (outputClosed.signal.aborted) return;
    outputClosed.abort();
    // A reader such as `head` may close the output early: the command still ends with its own exit code.
    if (error.code === 'EPIPE') return;
    process.stderr.write(`holdfast: the output could not be written: ${error.message}\n`);
    process.on('exit', () => {
      process.exitCode ||= exitCodes.notWritten;
    });
  });
  // A failure of stderr can be reported nowhere, and must not end a command half-way.
  process.stderr.on('error', () => undefined);
  let isInLine = false;
  return {
    print: (line) => process.stdout.write(`${line}\n`),
    write: (part) => process.stdout.write(part),
    report(line) {
      process.stderr.write(`${isInLine ? '\n' : ''}${line}\n`);
      isInLine = false;
    },
    reportProgress(line) {
      const width = terminalWidth(process.stderr);
      if (width === null) return;
      process.stderr.write(`\r${cutTo(width - 1, line)}\u001b[K`);
      isInLine = true;
    },
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
