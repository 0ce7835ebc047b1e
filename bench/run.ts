import { recordAudit } from '@holdfast/db/audit/audit';
import { type Database, openDatabase } from '@holdfast/db/client';
import { createLogger } from '@holdfast/kit/logger';
import type { LocalState } from '@holdfast/local/launch/stateFile';
import { connectProducer } from '@holdfast/queues/connection';
import { startCountingReceiver } from './arrivals.ts';
import { type Bench, type Figures, warmUp } from './bench.ts';
import { checkLedger } from './check.ts';
import type { Flags } from './flags.ts';
import { openGenerator } from './load/generator.ts';
import { createOrganization } from './organization.ts';
import { parts } from './parts.ts';
import { forgetStatements, longestStatements, type Statement, statementTable } from './pgStat.ts';
import { postgresSettings } from './postgresSettings.ts';
import { report } from './report.ts';
import { sum } from './statistics.ts';

export async function runParts(flags: Flags, state: LocalState, say: (line: string) => void) {
  const receiver = await startCountingReceiver('raw', ({ executionId }) => executionId);
  const db = openDatabase({ url: state.database_url, poolSize: 2, applicationName: 'bench' });
  const redis = connectProducer(state.redis_url, createLogger('bench', 'warn'));
  const load = openGenerator(state.base_url);
  try {
    const { apiKey } = await createOrganization(state, `${receiver.url}/`);
    const bench = { flags, state, db, redis, apiKey, load, receiver, figures: {}, cpu: {}, others: {}, say };
    await putOffAudit(db);
    const statements = await measure(bench);
    const repeated = receiver.repeated();
    const figures = { ...bench.figures, repeated_webhooks: sum(repeated.values()) };
    const ledger = await checkLedger(db, say);
    return report({
      flags,
      figures,
      cpu: bench.cpu,
      others: bench.others,
      statements,
      postgres: await postgresSettings(db),
      ledger,
    });
  } finally {
    redis.disconnect();
    await Promise.all([db.close(), receiver.close(), load.close()]);
  }
}

async function measure(bench: Bench): Promise<Record<string, Statement[]>> {
  const { flags, db, say } = bench;
  const statements: Record<string, Statement[]> = {};
  let isWarm = false;
  for (const name of flags.only) {
    const part = parts[name];
    if (!part) throw new Error(`there is no part ${name}`);
    if (!part.isBare && !isWarm) await warmUp(bench);
    isWarm ||= !part.isBare;
    say(`${name} ...`);
    if (flags.pgStat) await forgetStatements(db);
    const measured: Figures = await part.run(bench);
    Object.assign(bench.figures, measured);
    say(`${name}: ${JSON.stringify(plain(measured))}`);
    if (!flags.pgStat) continue;
    statements[name] = await longestStatements(db);
    say(`the longest statements of ${name}:\n${statementTable(statements[name])}`);
  }
  return statements;
}

/** The ledger's first audit would run during the measurement. */
async function putOffAudit(db: Database): Promise<void> {
  await recordAudit(db, []);
}

/** Without curves, which do not fit a line. */
function plain(figures: Figures): Figures {
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => !Array.isArray(value)));
}
