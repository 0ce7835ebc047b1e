import { recordOutcomes } from '@holdfast/db/attempts/outcomes';
import { getBatch, insertBatch, type NewBatch } from '@holdfast/db/batches/batches';
import { insertItems } from '@holdfast/db/batches/items';
import { sealBatch } from '@holdfast/db/batches/turns';
import { completeExecutions, failExecutions } from '@holdfast/db/executions/endings';
import { startExecutions } from '@holdfast/db/executions/start';
import type { Batch } from '@holdfast/domain/batch';
import { newId } from '@holdfast/domain/ids';
import { createLogger } from '@holdfast/kit/logger';
import { createTestOrganization } from '@holdfast/testkit/testData';
import { openTestRoles } from '@holdfast/testkit/testDatabase';
import { turnBatches } from '../batches.ts';
import { nowhere, publishChanges } from './nowhere.ts';

/** A ledger and a gateway with batches whose items are held at 1, and no other service. */
export async function openBatchBench() {
  const { owner, ledger, gateway, close } = await openTestRoles(8);

  async function newBatch(
    count: number,
    { balance, ...settings }: Partial<NewBatch> & { balance: string },
  ): Promise<Batch> {
    const organizationId = settings.organizationId ?? (await createTestOrganization(owner, balance));
    const unset = {
      defaults: null,
      metadata: null,
      webhookUrl: null,
      maxCost: null,
      idempotencyKey: null,
      requestHash: null,
    };
    const usual = {
      model: 'm',
      onInsufficientBalance: 'pause',
      windowS: 600,
      events: 'none',
      reserve: false,
    } as const;
    const id = newId('bat');
    await insertBatch(gateway, { id, organizationId, apiKeyId: 'key', ...unset, ...usual, ...settings });
    for (let at = 0; at < count; at += 500)
      await insertItems(gateway, id, itemsFrom(at, Math.min(count, at + 500)));
    await sealBatch(gateway, organizationId, id);
    return await read({ id, organizationId });
  }

  async function read({ id, organizationId }: Pick<Batch, 'id' | 'organizationId'>): Promise<Batch> {
    const batch = await getBatch(gateway, organizationId, id);
    if (!batch) throw new Error('the batch is not there');
    return batch;
  }

  /** What the ledger's sweep does. */
  async function turn(maxOpen = 1000): Promise<void> {
    const hints = { fanout: nowhere, abort: nowhere, publishChanges };
    const log = createLogger('test', 'error');
    await turnBatches({ db: ledger, hints, dispatch: nowhere, maxOpen, onCancelled: () => {}, log });
  }

  /** Ends the open executions: `fails` says which of them fail, and the others cost their hold. Returns how many ended. */
  async function run(
    batch: Pick<Batch, 'id'>,
    fails: (customId: string) => boolean = () => false,
  ): Promise<number> {
    const { rows } = await owner.pool.query<{ id: string; custom_id: string }>(
      `SELECT id, custom_id FROM executions WHERE batch_id = $1 AND status = 'PENDING' ORDER BY id`,
      [batch.id],
    );
    const customIds = new Map(rows.map(({ id, custom_id }) => [id, custom_id]));
    const targets = rows.map(({ id }) => ({ id, connection: 'sandbox', target: 'm' }));
    const started = await startExecutions(owner, targets, 30);
    const failing = started.filter(({ id }) => fails(customIds.get(id) ?? ''));
    const succeeding = started.filter((one) => !failing.includes(one));
    await recordOutcomes(owner, [
      ...failing.map(({ attemptId }) => ({ attemptId, outcome: failure, state: 'failed' as const })),
      ...succeeding.map(({ attemptId }) => ({ attemptId, outcome: success, state: 'succeeded' as const })),
    ]);
    const ended = await Promise.all([
      failExecutions(
        ledger,
        failing.map(({ attemptId }) => attemptId),
      ),
      completeExecutions(
        ledger,
        succeeding.map(({ attemptId }) => attemptId),
      ),
    ]);
    return ended.flat().length;
  }

  /** Its window is over. */
  async function letExpire({ id }: Pick<Batch, 'id'>): Promise<void> {
    await owner.pool.query(`UPDATE batches SET expires_at = now() WHERE id = $1`, [id]);
  }

  return { owner, ledger, gateway, newBatch, read, turn, run, letExpire, close };
}

const failure = { ok: false, code: 'GENERATION_FAILED', message: 'It failed.' } as const;
const success = {
  ok: true,
  output: { text: 'hi' },
  inputTokens: 1,
  outputTokens: 2,
  cost: '1.00000000',
} as const;

function itemsFrom(start: number, end: number) {
  return Array.from({ length: end - start }, (_, at) => ({
    customId: `item-${start + at}`,
    position: BigInt(start + at),
    hash: '00000000-0000-4000-8000-000000000000',
    model: 'm',
    inputJson: `{"prompt":"${start + at}"}`,
    metadataJson: null,
    timeoutS: 60,
    estimatedCost: '0.90',
    hold: '1.00',
    modelVersion: null,
    error: null,
  }));
}
