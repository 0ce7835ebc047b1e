import { openDatabase } from '@holdfast/db/client';
import { completeExecutions } from '@holdfast/db/executions/endings';
import { insertExecutions, type NewExecution } from '@holdfast/db/executions/insert';
import { newId } from '@holdfast/domain/ids';
import { type Bench, type Figures, type Part, watched } from '../bench.ts';
import { createOrganizations } from '../organizations.ts';
import { nowMs, round } from '../statistics.ts';

const sizes = [64, 256, 1024];
const executionsPerRound = 2048;
const rounds = 6;

type Times = { createMs: number; settleMs: number };

/**
 * The bound that one organization's balance row sets: creates and settlements lock it, one batch after another. Only
 * the statements of PostgreSQL, on one connection.
 */
export const batches: Part = {
  about: `executions/s that PostgreSQL alone creates and settles for one organization, in batches of ${sizes.join(', ')}`,
  isLong: true,
  isCold: true,
  async run(bench) {
    const [organization] = await createOrganizations(bench.state, 1, () => []);
    if (!organization) throw new Error('no organization was created');
    const db = openDatabase({ url: bench.state.database_url, poolSize: 1, applicationName: 'bench batches' });
    const totals = new Map(sizes.map((size) => [size, { createMs: 0, settleMs: 0 }]));
    try {
      await watched(bench, 'batches', async () => {
        for (let round = 0; round <= rounds; round++) {
          for (const [size, total] of totals) {
            const times = await runRound({ ...bench, db }, organization.id, size);
            // The first round warms up.
            if (round === 0) continue;
            total.createMs += times.createMs;
            total.settleMs += times.settleMs;
          }
        }
      });
    } finally {
      await db.close();
    }
    return Object.assign({}, ...[...totals].map(([size, times]) => figuresOf(size, times))) as Figures;
  },
};

function figuresOf(size: number, { createMs, settleMs }: Times): Figures {
  const executions = rounds * executionsPerRound;
  return {
    [`batch_${size}_per_s`]: round(executions / ((createMs + settleMs) / 1000), 0),
    [`batch_${size}_create_ms`]: round(createMs / executions, 3),
    [`batch_${size}_settle_ms`]: round(settleMs / executions, 3),
  };
}

async function runRound(bench: Bench, organizationId: string, size: number): Promise<Times> {
  const times = { createMs: 0, settleMs: 0 };
  for (let done = 0; done < executionsPerRound; done += size) {
    const batch = Array.from({ length: size }, () => newExecution(organizationId));
    const startMs = nowMs();
    const inserted = await insertExecutions(bench.db, batch);
    times.createMs += nowMs() - startMs;
    if (inserted.some(({ kind }) => kind !== 'created')) throw new Error('an execution was not created');
    const ids = batch.map(({ id }) => id);
    await recordSuccess(bench, ids);
    const settledFromMs = nowMs();
    const ended = await completeExecutions(bench.db, ids.map(attemptOf));
    times.settleMs += nowMs() - settledFromMs;
    if (ended.length !== size) throw new Error(`${size - ended.length} executions were not settled`);
  }
  return times;
}

const newExecution = (organizationId: string): NewExecution => ({
  id: newId('exec'),
  organizationId,
  apiKeyId: 'key_bench',
  idempotencyKey: newId('exec'),
  requestHash: '0'.repeat(64),
  model: 'sandbox-text',
  inputJson: '{"prompt":"measure batches"}',
  metadataJson: null,
  webhookUrl: null,
  holdAmount: '0.01',
  estimatedCost: '0.001',
  timeoutS: 600,
});

const attemptOf = (executionId: string) => executionId.replace('exec_', 'att_');

/** What the dispatcher writes, and the provider's outcome. */
async function recordSuccess({ db }: Bench, ids: string[]): Promise<void> {
  await db.pool.query(`UPDATE executions SET status = 'PROCESSING', started_at = now() WHERE id = ANY ($1)`, [
    ids,
  ]);
  await db.pool.query(
    `INSERT INTO attempts (id, execution_id, number, provider, state, token, external_id, outcome, finished_at)
     SELECT replace(id, 'exec_', 'att_'), id, 1, 'sandbox', 'succeeded', md5(id) || md5('token' || id), id,
       '{"ok":true,"output":{"text":"measured"},"cost":"0.001","inputTokens":3,"outputTokens":1}', now()
     FROM unnest($1::text[]) AS id`,
    [ids],
  );
}
