import { openDatabase } from '@holdfast/db/client';
import type { LocalState } from '@holdfast/local/launch/stateFile';
import type { Bench, Figures } from './bench.ts';
import { checkLedger } from './check.ts';
import type { Flags } from './flags.ts';
import { openHttp } from './http.ts';
import { createOrganization } from './organization.ts';
import { parts } from './parts.ts';
import { startReceiver } from './receiver.ts';
import { report } from './report.ts';

/** Runs the wanted parts in turn against a running stack, then checks its ledger. */
export async function runParts(flags: Flags, state: LocalState, say: (line: string) => void) {
  const receiver = await startReceiver();
  const db = openDatabase({ url: state.database_url, poolSize: 2, applicationName: 'bench' });
  try {
    const { id, apiKey } = await createOrganization(state, receiver.url);
    const api = openHttp(state.base_url, apiKey, flags.clients);
    const bench = { flags, databaseUrl: state.database_url, db, organizationId: id, api, receiver, say };
    const figures = await measure(bench).finally(api.close);
    say('checking the ledger');
    return report(flags, { ...figures, repeated_webhooks: receiver.repeats() }, await checkLedger(db, id));
  } finally {
    await Promise.all([db.close(), receiver.close()]);
  }
}

async function measure(bench: Bench): Promise<Figures> {
  const figures: Figures = {};
  for (const name of bench.flags.only) {
    bench.say(`${name} ...`);
    const measured = await parts[name]?.run(bench);
    bench.say(`${name}: ${JSON.stringify(measured)}`);
    Object.assign(figures, measured);
  }
  return figures;
}
