import { auditLedger } from '@holdfast/db/audit/audit';
import { getBalance, topUp } from '@holdfast/db/balances';
import { eraseBatch } from '@holdfast/db/batches/erase';
import { readFileLines } from '@holdfast/db/batches/fileLines';
import { listItems } from '@holdfast/db/batches/items';
import { retryItems } from '@holdfast/db/batches/retry';
import { finishBatch, pauseBatch, resumeBatch } from '@holdfast/db/batches/turns';
import type { Batch } from '@holdfast/domain/batch';
import { newId } from '@holdfast/domain/ids';
import { createLogger } from '@holdfast/kit/logger';
import { createTestOrganization, insertTestExecution } from '@holdfast/testkit/testData';
import { afterAll, describe, expect, it } from '@jest/globals';
import { eraseBatchItems } from './eraseBatches.ts';
import { openBatchBench } from './testing/batchBench.ts';

const bench = await openBatchBench();
const { owner, gateway, newBatch, read, turn, run, letExpire } = bench;

afterAll(async () => {
  const breaches = await auditLedger(owner);
  await bench.close();
  expect(breaches).toEqual([]);
});

const anything = { statuses: null, customIds: null, errorCodes: null };

async function eventsOf({ id }: Batch): Promise<string[]> {
  const sql = 'SELECT type FROM events WHERE batch_id = $1 ORDER BY created_at, id';
  return (await owner.pool.query<{ type: string }>(sql, [id])).rows.map(({ type }) => type);
}

/** The events that an endpoint in OpenAI's dialect gets. */
async function sentToOpenaiEndpoint({ id, organizationId }: Batch): Promise<() => Promise<string[]>> {
  const endpointId = newId('wh');
  const fields = { url: 'https://example.com', events: ['batch.*'], secret: 'sealed', dialect: 'openai' };
  await owner.prisma.webhookEndpoint.create({ data: { id: endpointId, organizationId, ...fields } });
  const sql = `SELECT v.type FROM events v JOIN deliveries d ON d.event_id = v.id WHERE v.batch_id = $1 AND d.endpoint_id = $2`;
  return async () =>
    (await owner.pool.query<{ type: string }>(sql, [id, endpointId])).rows.map(({ type }) => type);
}

async function money({ organizationId }: Batch): Promise<string> {
  const balance = await getBalance(owner, organizationId);
  return `${Number(balance?.available)} available, ${Number(balance?.held)} held`;
}

/** Turns and runs until it has ended or paused. */
async function drive(batch: Batch, fails?: (customId: string) => boolean): Promise<Batch> {
  for (let turns = 0; turns < 50; turns += 1) {
    await turn();
    const { status } = await read(batch);
    if (status === 'paused' || (await read(batch)).endedAt !== null) return await read(batch);
    await run(batch, fails);
  }
  throw new Error('the batch does not end');
}

describe('a batch', () => {
  it('runs what the balance covers, pauses, and goes on by itself after a top-up', async () => {
    const batch = await newBatch(10, { balance: '6' });
    const sent = await sentToOpenaiEndpoint(batch);
    await turn();
    expect(await read(batch)).toMatchObject({
      status: 'running',
      waiting: 4,
      running: 6,
      held: '6.00000000',
    });
    expect(await money(batch)).toBe('0 available, 6 held');

    expect(await drive(batch)).toMatchObject({
      status: 'paused',
      reason: 'insufficient_balance',
      completed: 6,
    });
    await turn();
    expect(await eventsOf(batch)).toEqual(['batch.paused']);

    await topUp(owner, {
      organizationId: batch.organizationId,
      amount: '4',
      reason: null,
      idempotencyKey: null,
    });
    expect(await drive(batch)).toMatchObject({ status: 'completed', completed: 10, cost: '10.00000000' });
    expect(await money(batch)).toBe('0 available, 0 held');
    expect(await eventsOf(batch)).toEqual(['batch.paused', 'batch.completed']);
    expect(await sent()).toEqual(['batch.completed']);
  });

  it('is cancelled instead, if it says so, and charged for what completed', async () => {
    const batch = await newBatch(10, { balance: '6', onInsufficientBalance: 'cancel' });
    expect(await drive(batch)).toMatchObject({
      status: 'cancelled',
      completed: 6,
      cancelled: 4,
      cost: '6.00000000',
    });
  });

  it('has at most so many executions open as the ledger allows', async () => {
    const batch = await newBatch(600, { balance: '600' });
    await turn(300);
    expect(await read(batch)).toMatchObject({ waiting: 300, running: 300 });
    await finishBatch(gateway, batch, 'cancelled');
    expect(await drive(batch)).toMatchObject({ status: 'cancelled', cancelled: 600 });
  });

  it('never exceeds max_cost, whoever admits', async () => {
    const batch = await newBatch(40, { balance: '100', maxCost: '17.99999999' });
    await Promise.all(Array.from({ length: 4 }, () => turn()));
    expect(await read(batch)).toMatchObject({ running: 17, held: '17.00000000' });
    expect(await drive(batch)).toMatchObject({ status: 'paused', reason: 'max_cost', cost: '17.00000000' });
    expect(await resumeBatch(gateway, batch.organizationId, batch.id, '18')).toBe(true);
    expect(await drive(batch)).toMatchObject({ status: 'paused', cost: '18.00000000' });
  });

  it('admits what failed items return, before it pauses', async () => {
    const batch = await newBatch(10, { balance: '6' });
    const odd = (customId: string) => Number(customId.slice(5)) % 2 === 1;
    expect(await drive(batch, odd)).toMatchObject({
      status: 'completed',
      completed: 5,
      failed: 5,
      cost: '5.00000000',
    });
  });

  it('takes its reservation at the seal, and returns what is left', async () => {
    const batch = await newBatch(10, { balance: '12', reserve: true });
    expect(batch).toMatchObject({ status: 'running', reserved: '10.00000000' });
    expect(await money(batch)).toBe('2 available, 10 held');
    await turn(4);
    expect(await read(batch)).toMatchObject({ reserved: '6.00000000', held: '4.00000000' });
    await run(batch);
    await finishBatch(gateway, batch, 'cancelled');
    expect(await drive(batch)).toMatchObject({
      status: 'cancelled',
      cost: '4.00000000',
      reserved: '0.00000000',
    });
    expect(await money(batch)).toBe('8 available, 0 held');
  });

  it('stays open when the balance does not cover its reservation', async () => {
    const batch = await newBatch(3, { balance: '2', reserve: true });
    expect(batch).toMatchObject({ status: 'open', reserved: '0.00000000' });
    expect(await money(batch)).toBe('2 available, 0 held');
  });

  it('that expires lets its executions finish, and expires the items that wait', async () => {
    const batch = await newBatch(10, { balance: '4' });
    await turn();
    await letExpire(batch);
    expect(await drive(batch)).toMatchObject({
      status: 'expired',
      completed: 4,
      expired: 6,
      cost: '4.00000000',
    });
    expect(await eventsOf(batch)).toEqual(['batch.expired']);
  });

  it('that was paused by its owner goes on when it is resumed', async () => {
    const batch = await newBatch(2, { balance: '2' });
    expect(await pauseBatch(gateway, batch, 'requested')).toBe(true);
    await turn();
    expect(await read(batch)).toMatchObject({ status: 'paused', reason: 'requested', waiting: 2 });
    expect(await resumeBatch(gateway, batch.organizationId, batch.id)).toBe(true);
    expect(await drive(batch)).toMatchObject({ status: 'completed', completed: 2 });
  });

  it('has the events of its executions that it asks for', async () => {
    const types = async (events: Batch['events']) => {
      const batch = await newBatch(2, { balance: '2', events });
      await drive(batch, (customId) => customId === 'item-1');
      const sql =
        'SELECT v.type FROM events v JOIN executions e ON e.id = v.execution_id WHERE e.batch_id = $1 ORDER BY 1';
      return (await owner.pool.query<{ type: string }>(sql, [batch.id])).rows.map(({ type }) =>
        type.slice(10),
      );
    };
    expect(await types('none')).toEqual([]);
    expect(await types('failed')).toEqual(['failed']);
    expect(await types('all')).toEqual(['completed', 'failed', 'started', 'started']);
  });
});

describe('a retry', () => {
  it('runs the items again that match, and takes them out of the error file', async () => {
    const batch = await newBatch(4, { balance: '10' });
    await drive(batch, (customId) => customId !== 'item-0');
    const lines = async (kind: 'output' | 'error') =>
      (await readFileLines(gateway, batch, kind, '0')).map(({ customId }) => customId).sort();
    expect(await lines('output')).toEqual(['item-0']);
    expect(await lines('error')).toEqual(['item-1', 'item-2', 'item-3']);

    expect(await retryItems(gateway, batch, { ...anything, customIds: ['item-0', 'item-2', 'item-9'] })).toBe(
      1,
    );
    expect(await read(batch)).toMatchObject({ status: 'running', waiting: 1, failed: 2 });
    expect(await drive(batch)).toMatchObject({ status: 'completed', completed: 2, failed: 2 });
    expect(await lines('output')).toEqual(['item-0', 'item-2']);
    expect(await lines('error')).toEqual(['item-1', 'item-3']);
    expect(await retryItems(gateway, batch, { ...anything, errorCodes: ['GENERATION_TIMEOUT'] })).toBe(0);
    expect(await eventsOf(batch)).toEqual(['batch.completed', 'batch.completed']);
  });

  it('also runs items that never ran, of a batch that was cancelled', async () => {
    const batch = await newBatch(5, { balance: '2' });
    await turn();
    await finishBatch(gateway, batch, 'cancelled');
    expect(await retryItems(gateway, batch, { ...anything, statuses: ['cancelled'] })).toBeNull();
    expect(await drive(batch)).toMatchObject({ status: 'cancelled', cancelled: 5 });
    expect(await retryItems(gateway, batch, { ...anything, statuses: ['cancelled'] })).toBe(5);
    await topUp(owner, {
      organizationId: batch.organizationId,
      amount: '3',
      reason: null,
      idempotencyKey: null,
    });
    expect(await drive(batch)).toMatchObject({ status: 'completed', completed: 5, cancelled: 0 });
  });
});

it('an erased batch has nothing left of its items and of all their executions', async () => {
  const batch = await newBatch(120, { balance: '200', metadata: { order: 'secret' } });
  expect(await eraseBatch(gateway, batch.organizationId, batch.id)).toBe(false);
  await drive(batch, (customId) => customId === 'item-7');
  await retryItems(gateway, batch, { ...anything, statuses: ['failed'] });
  await drive(batch);
  expect(await eraseBatch(gateway, batch.organizationId, batch.id)).toBe(true);
  await eraseBatchItems(gateway, createLogger('test', 'error'));
  const sql = `SELECT count(*)::int AS executions, count(erased_at)::int AS erased FROM executions WHERE batch_id = $1`;
  expect((await owner.pool.query(sql, [batch.id])).rows).toEqual([{ executions: 121, erased: 121 }]);
  const kept = await owner.pool.query('SELECT body FROM events WHERE batch_id = $1', [batch.id]);
  expect(JSON.stringify(kept.rows)).not.toContain('secret');
  expect(await read(batch)).toMatchObject({ metadata: null, completed: 120, cost: '120.00000000' });
});

it('items are listed page by page, in each order', async () => {
  const batch = await newBatch(5, { balance: '2' });
  await turn();
  for (const [status, ids] of [
    [null, '01234'],
    ['running', '01'],
    ['waiting', '234'],
  ] as const) {
    const found: string[] = [];
    for (let after: string | null = null; ; ) {
      const [item] = await listItems(gateway, batch.id, { status, after, limit: 1 });
      if (!item) break;
      found.push(item.customId.slice(5));
      after = item.customId;
    }
    expect(found.join('')).toBe(ids);
  }
});

it('beside other executions, a batch is admitted in small groups, and yields after a second', async () => {
  const batch = await newBatch(600, { balance: '600' });
  await insertTestExecution(owner, { organizationId: await createTestOrganization(owner, '10'), model: 'm' });
  await turn();
  const { running } = await read(batch);
  expect([running > 0, running < 600, running % 8]).toEqual([true, true, 0]);
});
