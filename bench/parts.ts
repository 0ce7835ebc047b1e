import { openDatabase } from '@holdfast/db/client';
import { createLogger } from '@holdfast/kit/logger';
import type { LocalState } from '@holdfast/local/launch/stateFile';
import { connectProducer } from '@holdfast/queues/connection';
import { startCountingReceiver } from './arrivals.ts';
import { type Bench, type Figures, type Part, warmUp } from './bench.ts';
import type { Flags } from './flags.ts';
import { checkLedger, postponeAudit } from './ledger.ts';
import { openGenerator } from './load/threads.ts';
import { createOrganization } from './organizations.ts';
import { batch } from './parts/batch.ts';
import { batches } from './parts/batches.ts';
import { creates, curve, halfRate } from './parts/creates.ts';
import { drain } from './parts/drain.ts';
import { endToEnd, lone, organizations } from './parts/endToEnd.ts';
import { fairness } from './parts/fairness.ts';
import { grown } from './parts/grown.ts';
import { hotRow } from './parts/hotRow.ts';
import { idle } from './parts/idle.ts';
import { large } from './parts/large.ts';
import { lists } from './parts/lists.ts';
import { openai } from './parts/openai.ts';
import { ownCost } from './parts/ownCost.ts';
import { rates } from './parts/rates.ts';
import { stream } from './parts/stream.ts';
import { wait } from './parts/wait.ts';
import { webhooks } from './parts/webhooks.ts';
import { webhooksIsolation } from './parts/webhooksIsolation.ts';
import {
  longestStatements,
  postgresSettings,
  resetStatements,
  type Statement,
  statementTable,
} from './postgres.ts';
import { report } from './report.ts';
import { fixedWorkMs } from './yardstick.ts';

/** In order: a fresh system first, a full database last. */
export const parts: Record<string, Part> = {
  idle,
  own_cost: ownCost,
  hot_row: hotRow,
  drain,
  batches,
  lone,
  wait,
  openai,
  large,
  stream,
  rates,
  end_to_end: endToEnd,
  organizations,
  creates,
  half_rate: halfRate,
  webhooks,
  webhooks_isolation: webhooksIsolation,
  curve,
  fairness,
  batch,
  lists,
  grown,
};

/** Runs the parts of the flags on a running system, then checks its ledger. */
export async function runParts(flags: Flags, state: LocalState, say: (line: string) => void, chatUrl = '') {
  const receiver = await startCountingReceiver('raw', ({ executionId }) => executionId);
  const db = openDatabase({ url: state.database_url, poolSize: 2, applicationName: 'bench' });
  const redis = connectProducer(state.redis_url, createLogger('bench', 'warn'));
  const load = openGenerator(state.base_url);
  const workBeforeMs = fixedWorkMs();
  const results = { figures: {}, cpu: {}, memory: {}, idleCpu: {}, others: {} };
  try {
    const { apiKey } = await createOrganization(state, `${receiver.url}/`);
    await postponeAudit(db);
    const statements = await measureAll({
      flags,
      state,
      db,
      redis,
      apiKey,
      load,
      chatUrl,
      receiver,
      ...results,
      say,
    });
    const ledger = await checkLedger(db, say);
    const postgres = await postgresSettings(db);
    const repeated = receiver.repeated();
    const workMs = [workBeforeMs, fixedWorkMs()];
    return report({ flags, ...results, repeated, statements, postgres, ledger, fixedWorkMs: workMs });
  } finally {
    redis.disconnect();
    await Promise.all([db.close(), receiver.close(), load.close()]);
  }
}

async function measureAll(bench: Bench): Promise<Record<string, Statement[]>> {
  const { flags, db, say } = bench;
  const statements: Record<string, Statement[]> = {};
  let isWarm = false;
  for (const name of flags.only) {
    const part = parts[name];
    if (!part) throw new Error(`there is no part ${name}`);
    if (!part.isCold && !isWarm) await warmUp(bench);
    isWarm ||= !part.isCold;
    say(`${name} ...`);
    if (flags.pgStat) await resetStatements(db);
    const measured: Figures = await part.run(bench);
    Object.assign(bench.figures, measured);
    say(`${name}: ${JSON.stringify(withoutCurves(measured))}`);
    if (!flags.pgStat) continue;
    statements[name] = await longestStatements(db);
    say(`the longest statements of ${name}:\n${statementTable(statements[name])}`);
  }
  return statements;
}

/** Curves do not fit on a line. */
function withoutCurves(figures: Figures): Figures {
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => !Array.isArray(value)));
}
