// `npm run soak`: load and faults on a stack of its own.
import { randomInt } from 'node:crypto';
import { exitWith, interruption, startConsole } from '../program.ts';
import { keep } from '../results.ts';
import { startStack } from '../stack.ts';
import { type Flags, parseFlags, usage } from './flags.ts';
import { isOk, report } from './report.ts';
import { soak } from './soak.ts';

/** No delivery uses up these attempts while its endpoint is down. */
const retryDelaysS = '0,5,15,30,60';

async function run(flags: Flags): Promise<number> {
  const say = startConsole();
  const interrupted = interruption();
  const settings = { WEBHOOK_RETRY_DELAYS_S: retryDelaysS };
  const stack = startStack({ cpuProfile: null, pgStat: false }, say, settings);
  try {
    const state = await Promise.race([stack.ready, interrupted]);
    const result = await Promise.race([soak({ flags, state, running: stack.running, say }), interrupted]);
    process.stderr.write(`\n${report(result)}\n\n`);
    if (flags.json) process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
    if (flags.write) say(`written: ${await keep('soak', result)}`);
    return isOk(result) ? 0 : 1;
  } finally {
    say('stopping the services');
    await stack.close();
  }
}

await exitWith(async () => {
  const flags = parseFlags(process.argv.slice(2), () => randomInt(1, 1_000_000));
  if (flags.help) process.stdout.write(`${usage}\n`);
  return flags.help ? 0 : await run(flags);
});
