import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '@holdfast/kit/flags';
import { startConsole } from '@holdfast/local/launch/console';
import { type Flags, parseFlags, usage } from './flags.ts';
import { report } from './report.ts';
import { roll } from './roll.ts';

// `npm run test:acceptance -- rolling`: restarts every service under load, on its own stack.

/** Returns the exit code. */
async function run({ perSecond, rounds, pauseS }: Flags): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-rolling-'));
  // As root, Postgres runs as another user.
  chmodSync(home, 0o755);
  try {
    const rolled = await roll({ home, perSecond, rounds, pauseMs: pauseS * 1000, say: startConsole() });
    process.stdout.write(`\n${report(rolled)}\n`);
    return rolled.problems.length === 0 ? 0 : 1;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

try {
  const flags = parseFlags(process.argv.slice(2));
  if (flags.help) process.stdout.write(`${usage}\n`);
  process.exit(flags.help ? 0 : await run(flags));
} catch (error) {
  const isClear = error instanceof UsageError;
  process.stderr.write(`${isClear ? error.message : String((error as Error).stack)}\n`);
  process.exit(isClear ? 2 : 1);
}
