// `npm run bench`: the whole walk under load, on a stack of its own.
import { LaunchError } from '@holdfast/local/launch/launchError';
import { type Flags, parseFlags, UsageError, usage } from './flags.ts';
import { warnOfOthers } from './others.ts';
import { parts } from './parts.ts';
import { verdictTable } from './report.ts';
import { keep } from './results.ts';
import { runParts } from './run.ts';
import { startStack } from './stack.ts';

function startConsole(): (line: string) => void {
  const startMs = performance.now();
  return (line) => {
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1).padStart(6);
    process.stderr.write(`${seconds} s  ${line}\n`);
  };
}

class Interrupted extends Error {}

/** Rejects at the first signal. */
function interruption(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => reject(new Interrupted(`ended by ${signal}`)));
    }
  });
}

/** Answers the exit code: 0 when it was measured and the ledger is right. */
async function measure(flags: Flags): Promise<number> {
  const say = startConsole();
  const interrupted = interruption();
  const stack = startStack(flags, say);
  try {
    const state = await Promise.race([stack.ready, interrupted]);
    const result = await Promise.race([runParts(flags, state, say), interrupted]);
    process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
    const warning = warnOfOthers(result.cpu_share_of_others);
    process.stderr.write(`\n${verdictTable(result.verdicts)}\n\n${warning === null ? '' : `${warning}\n\n`}`);
    if (flags.write) for (const file of await keep(result)) say(`written: ${file}`);
    return result.ledger.ok ? 0 : 1;
  } finally {
    say('ending everything');
    await stack.close();
  }
}

async function main(): Promise<number> {
  const usual = Object.keys(parts).filter((name) => !parts[name]?.isLong);
  const flags = parseFlags(process.argv.slice(2), Object.keys(parts), usual);
  if (!flags.help) return await measure(flags);
  const abouts = Object.entries(parts).map(([name, { about, isLong }]) => [
    name,
    isLong ? `${about} (only when named)` : about,
  ]);
  process.stdout.write(`${usage(Object.fromEntries(abouts))}\n`);
  return 0;
}

try {
  process.exit(await main());
} catch (error) {
  const isClear = [UsageError, LaunchError, Interrupted].some((kind) => error instanceof kind);
  process.stderr.write(`${isClear ? (error as Error).message : String((error as Error).stack)}\n`);
  process.exit(error instanceof UsageError ? 2 : error instanceof Interrupted ? 130 : 1);
}
