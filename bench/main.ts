// `npm run bench`: executions under load, on a stack of its own.
import { warnOfOthers } from './cpu.ts';
import { type Flags, parseFlags, usage } from './flags.ts';
import { parts, runParts } from './parts.ts';
import { exitWith, interruption, startConsole } from './program.ts';
import { startProvider } from './provider.ts';
import { cpuLine, verdictTable } from './report.ts';
import { keep } from './results.ts';
import { startStack } from './stack.ts';

async function measure(flags: Flags): Promise<number> {
  const say = startConsole();
  const interrupted = interruption();
  const provider = await startProvider();
  const stack = startStack(flags, say, provider.environment);
  try {
    const state = await Promise.race([stack.ready, interrupted]);
    const result = await Promise.race([runParts(flags, state, say, provider.chatUrl), interrupted]);
    process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
    const warning = warnOfOthers(result.cpu_share_of_others);
    const { model, cpus, fixed_work_ms: workMs } = result.machine;
    const machine = `${cpus} x ${model}; fixed work took ${workMs.join(' to ')} ms of CPU`;
    const lines = [verdictTable(result.verdicts), cpuLine(result.figures), machine, warning];
    process.stderr.write(`\n${lines.filter((line) => line !== null).join('\n\n')}\n\n`);
    if (flags.write) say(`written: ${await keep('bench', result)}`);
    return result.ledger.ok ? 0 : 1;
  } finally {
    say('stopping the services');
    await stack.close();
    await provider.close();
  }
}

async function main(): Promise<number> {
  const defaultParts = Object.keys(parts).filter((name) => !parts[name]?.isLong);
  const flags = parseFlags(process.argv.slice(2), Object.keys(parts), defaultParts);
  if (!flags.help) return await measure(flags);
  const abouts = Object.entries(parts).map(([name, { about, isLong }]) => [
    name,
    isLong ? `${about} (only with --only)` : about,
  ]);
  process.stdout.write(`${usage(Object.fromEntries(abouts))}\n`);
  return 0;
}

await exitWith(main);
