// `npm run test:acceptance -- providers`: Holdfast against the model servers that people run, installed from PyPI.

import { UsageError } from '@holdfast/kit/flags';
import { startConsole } from '@holdfast/local/launch/console';
import { parseFlags, usage } from './flags.ts';
import { runSuites } from './run.ts';
import { suites } from './suite.ts';

/** Aborts at the first signal; what was started is ended then, in order. */
function interruption(say: (line: string) => void): AbortSignal {
  const aborting = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (!aborting.signal.aborted) say(`stopped by ${signal}`);
      aborting.abort(new Error(`stopped by ${signal}`));
    });
  return aborting.signal;
}

async function main(): Promise<number> {
  const flags = parseFlags(process.argv.slice(2), Object.keys(suites));
  if (flags.help) {
    process.stdout.write(`${usage(Object.keys(suites))}\n`);
    return 0;
  }
  const say = startConsole();
  const signal = interruption(say);
  const chosen = flags.only.map((name) => ({ name, suite: suites[name]! }));
  const { passed, failed, skipped } = await runSuites(chosen, flags, say, signal);
  process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  return signal.aborted ? 130 : failed === 0 ? 0 : 1;
}

try {
  process.exit(await main());
} catch (error) {
  const isClear = error instanceof UsageError;
  process.stderr.write(`${isClear ? error.message : String((error as Error).stack)}\n`);
  process.exit(isClear ? 2 : 1);
}
