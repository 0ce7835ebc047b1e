import { randomUUID } from 'node:crypto';
import { recordOutcomes } from '@holdfast/db/attempts/outcomes';
import { adjustBalance, topUp } from '@holdfast/db/balances';
import { admitItems } from '@holdfast/db/batches/admit';
import { insertBatch } from '@holdfast/db/batches/batches';
import { insertItems } from '@holdfast/db/batches/items';
import { endBatch, finishBatch, sealBatch } from '@holdfast/db/batches/turns';
import type { Database } from '@holdfast/db/client';
import { cancelExecution, completeExecutions } from '@holdfast/db/executions/endings';
import { eraseExecution } from '@holdfast/db/executions/erase';
import { decideReview } from '@holdfast/db/executions/reviews';
import { startExecutions } from '@holdfast/db/executions/start';
import { refundExecution } from '@holdfast/db/refunds';
import { setSpendLimit } from '@holdfast/db/spendLimits';
import { timeFromNow } from '@holdfast/db/statement';
import { newId } from '@holdfast/domain/ids';
import { createTestOrganization, insertTestExecution } from '@holdfast/testkit/testData';

/** The ids of a ledger with a row of every kind. */
export type SeededLedger = {
  organization: string;
  open: string;
  cancelled: string;
  cheaper: string;
  dearer: string;
  capped: string;
  accepted: string;
  batch: string;
  ofBatch: string;
  endedBatch: string;
};

/**
 * An organization of 14 with a spend limit, and five executions held at 0.6: one open, one cancelled, one that cost 0.2
 * (and was erased), one that cost 0.9, and one that cost 1 of which its key's spend limit let 0.7 be charged. Its transfers
 * are numbered: top-ups 1 and 2, correction 3, hold of the open one 4, hold and release of the cancelled one 5 and 6,
 * hold, settle and remainder 7 to 9, hold, overage and settle 10 to 12, hold, overage, settle and write-off 13 to 16.
 * Another organization has one that cost 100, of which an operator accepted 5 and refunded 1. A third has a batch that has reserved 1.20 for two
 * items, of which one runs, and one that has ended.
 */
export async function seedLedger(db: Database): Promise<SeededLedger> {
  const organization = await createTestOrganization(db, '10');
  await topUp(db, { organizationId: organization, amount: '5', reason: null, idempotencyKey: null });
  const correction = { kind: 'correction', amount: '-1', reason: 'a mistake', idempotencyKey: null } as const;
  await adjustBalance(db, { organizationId: organization, ...correction });
  await setSpendLimit(db, { organizationId: organization, apiKeyId: null, amount: '100' });
  await setSpendLimit(db, { organizationId: organization, apiKeyId: 'key', amount: '100' });
  const open = await create(db, organization);
  const cancelled = await create(db, organization);
  await cancelExecution(db, organization, cancelled);
  const cheaper = await complete(db, await create(db, organization), '0.20000000');
  await eraseExecution(db, organization, cheaper);
  const dearer = await complete(db, await create(db, organization), '0.90000000');
  await setSpendLimit(db, { organizationId: organization, apiKeyId: 'capped', amount: '0.7' });
  const capped = await complete(db, await create(db, organization, 'capped'), '1.00000000');
  const other = await createTestOrganization(db, '10');
  const accepted = await complete(db, await create(db, other, 'other'), '100.00000000');
  await accept(db, accepted, '5');
  await refund(db, accepted, '1');
  const batches = await seedBatches(db);
  return { organization, open, cancelled, cheaper, dearer, capped, accepted, ...batches };
}

async function seedBatches(db: Database): Promise<Pick<SeededLedger, 'batch' | 'ofBatch' | 'endedBatch'>> {
  const organizationId = await createTestOrganization(db, '10');
  const batch = await sealedBatch(db, organizationId, ['one', 'two']);
  const ofBatch = newId('exec');
  await admitItems(db, { id: batch, organizationId, apiKeyId: 'batches' }, [ofBatch], 10);
  const endedBatch = await sealedBatch(db, organizationId, []);
  const turned = { id: endedBatch, organizationId, webhookUrl: null };
  await finishBatch(db, turned, 'completed');
  await endBatch(db, turned);
  return { batch, ofBatch, endedBatch };
}

async function sealedBatch(db: Database, organizationId: string, customIds: string[]): Promise<string> {
  const id = newId('bat');
  const unused = { defaults: null, metadata: null, webhookUrl: null, maxCost: null, idempotencyKey: null };
  const settings = {
    model: 'm',
    onInsufficientBalance: 'pause',
    windowS: 60,
    events: 'all',
    reserve: true,
  } as const;
  const batch = { id, organizationId, apiKeyId: 'batches', requestHash: null, ...settings, ...unused };
  await insertBatch(db, batch);
  const money = { estimatedCost: '0.50', hold: '0.60' };
  const item = {
    model: 'm',
    inputJson: '{}',
    metadataJson: null,
    timeoutS: 60,
    modelVersion: null,
    error: null,
    ...money,
  };
  const items = customIds.map((customId, at) => ({
    ...item,
    customId,
    position: BigInt(at),
    hash: randomUUID(),
  }));
  if (items.length > 0) await insertItems(db, id, items);
  await sealBatch(db, organizationId, id);
  return id;
}

async function create(db: Database, organizationId: string, apiKeyId = 'key'): Promise<string> {
  const id = newId('exec');
  return await insertTestExecution(db, {
    id,
    organizationId,
    apiKeyId,
    idempotencyKey: id,
    requestHash: 'h',
    timeoutS: 60,
  });
}

async function complete(db: Database, id: string, cost: string): Promise<string> {
  const [started] = await startExecutions(db, [{ id, connection: 'sandbox', target: 'm' }], 30);
  if (!started) throw new Error('not started');
  const outcome = { ok: true, output: { text: 'hi' }, inputTokens: 1, outputTokens: 2, cost } as const;
  await recordOutcomes(db, [{ attemptId: started.attemptId, outcome, state: 'succeeded' }]);
  await completeExecutions(db, [started.attemptId]);
  return id;
}

async function accept(db: Database, executionId: string, amount: string): Promise<void> {
  const decided = { kind: 'accept', reason: 'as agreed', decidedBy: 'op', idempotencyKey: 'accept' } as const;
  await decideReview(db, { ...decided, executionId, amount, until: await timeFromNow(db, 60_000) });
}

async function refund(db: Database, executionId: string, amount: string): Promise<void> {
  const until = await timeFromNow(db, 60_000);
  await refundExecution(db, { executionId, amount, reason: 'blurred', idempotencyKey: 'refund', until });
}
