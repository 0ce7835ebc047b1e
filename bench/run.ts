import { openDatabase } from '@holdfast/db/client';
import { createLogger } from '@holdfast/kit/logger';
import type { LocalState } from '@holdfast/local/launch/stateFile';
import { connectProducer } from '@holdfast/queues/connection';
import type { Bench, Figures } from './bench.ts';
import { checkLedger } from './check.ts';
import type { Flags } from './flags.ts';
import { openGenerator } from './load/generator.ts';
import { createOrganization } from './organization.ts';
import { parts } from './parts.ts';
import { startReceiver } from './receiver.ts';
import { report } from './report.ts';

/** Runs the wanted parts in turn against a running stack, then checks its ledger. */
export async function runParts(flags: Flags, state: LocalState, say: (line: string) => void) {
  const receiver = await startReceiver();
  const db = openDatabase({ url: state.database_url, poolSize: 2, applicationName: 'bench' });
  const redis = connectProducer(state.redis_url, createLogger('bench', 'warn'));
  const load = openGenerator(state.base_url);
  try {
    const { id, apiKey } = await createOrganization(state, receiver.url);
    const bench = { flags, state, db, redis, apiKey, load, receiver, figures: {}, cpu: {}, say };
    await measure(bench);
    say('checking the ledger');
    const figures = { ...bench.figures, repeated_webhooks: receiver.repeats() };
    return report({ flags, figures, cpu: bench.cpu, ledger: await checkLedger(db, id) });
  } finally {
    redis.disconnect();
    await Promise.all([db.close(), receiver.close(), load.close()]);
  }
}

/** Leaves what it measures in `bench.figures`. */
async function measure(bench: Bench): Promise<void> {
  for (const name of bench.flags.only) {
    bench.say(`${name} ...`);
    const measured: Figures = (await parts[name]?.run(bench)) ?? {};
    Object.assign(bench.figures, measured);
    bench.say(`${name}: ${JSON.stringify(plain(measured))}`);
  }
}

/** Without curves, which say little in a line. */
function plain(figures: Figures): Figures {
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => !Array.isArray(value)));
}
