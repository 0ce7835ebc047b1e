import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { UsageError } from '@holdfast/kit/flags';
import { measureDelays } from './delay.ts';
import { type Flags, parseFlags, usage } from './flags.ts';
import { MissingError } from './packages.ts';
import { report } from './report.ts';
import { run } from './run.ts';

// `npm run test:acceptance -- failover`: PostgreSQL, Redis or the object store fails under load.

/** Returns the exit code. */
async function start(flags: Flags): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-failover-'));
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o755);
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  let isOk = false;
  try {
    if (flags.only === 'delay') {
      const { table, problems } = await measureDelays(folder, say);
      process.stdout.write(`\n${table}\n${problems.join('\n')}\n`);
      isOk = problems.length === 0;
      return isOk ? 0 : 1;
    }
    const result = await run(flags, folder, say);
    process.stdout.write(`\n${report(result)}\n`);
    isOk = result.problems.length === 0;
    return isOk ? 0 : 1;
  } finally {
    if (isOk) rmSync(folder, { recursive: true, force: true });
    else say(`data and logs: ${folder}`);
  }
}

try {
  const flags = parseFlags(process.argv.slice(2));
  if (flags.help) process.stdout.write(`${usage}\n`);
  process.exit(flags.help ? 0 : await start(flags));
} catch (error) {
  const isClear = error instanceof UsageError || error instanceof MissingError;
  process.stderr.write(`${isClear ? error.message : inspect(error)}\n`);
  process.exit(isClear ? 2 : 1);
}
