import { auditLedger } from '@holdfast/db/audit/audit';
import { getBalance, topUp } from '@holdfast/db/balances';
import { retryItems } from '@holdfast/db/batches/retry';
import { finishBatch, pauseBatch, resumeBatch } from '@holdfast/db/batches/turns';
import type { Batch, BatchStatus, FinalBatchStatus, ItemStatus, PauseReason } from '@holdfast/domain/batch';
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { openBatchBench } from '../testing/batchBench.ts';
import { propertyOptions } from './testing/config.ts';

const bench = await openBatchBench();
const { owner, ledger, gateway, newBatch, read, turn, run, letExpire } = bench;

afterAll(() => bench.close());

const count = 8;
const opening = 3;
const maxCost = 6;
const longestMs = 86_400_000;

/** A batch whose items are held at 1, and cost as much. */
type Model = {
  status: BatchStatus;
  reason: PauseReason | null;
  endsAs: FinalBatchStatus | null;
  isOverdue: boolean;
  items: ItemStatus[];
  cost: number;
  available: number;
};
type Retryable = 'failed' | 'cancelled' | 'expired';
type Step = { name: string; perform(batch: Batch): Promise<unknown>; expect(model: Model): void };

const countOf = ({ items }: Model, status: ItemStatus) => items.filter((one) => one === status).length;
const move = (model: Model, from: ItemStatus, to: ItemStatus) => {
  model.items = model.items.map((one) => (one === from ? to : one));
};

function finish(model: Model, endsAs: FinalBatchStatus): void {
  Object.assign(model, { status: 'finishing', reason: null, endsAs });
}

function close(model: Model): void {
  if (model.endsAs !== 'completed') move(model, 'waiting', model.endsAs ?? 'waiting');
  if (model.endsAs === 'cancelled') {
    model.available += countOf(model, 'running');
    move(model, 'running', 'cancelled');
  }
  const isOpen = countOf(model, 'waiting') + countOf(model, 'running') > 0;
  if (!isOpen) model.status = model.endsAs ?? model.status;
}

function admit(model: Model, maxOpen: number): void {
  const room = Math.max(0, maxOpen - countOf(model, 'running'));
  for (let admitted = 0; admitted < room; admitted += 1) {
    const at = model.items.indexOf('waiting');
    if (at < 0) return;
    const isTooMuch = model.cost + countOf(model, 'running') + 1 > maxCost;
    if (isTooMuch || model.available < 1) {
      const reason = isTooMuch ? 'max_cost' : 'insufficient_balance';
      if (countOf(model, 'running') === 0) Object.assign(model, { status: 'paused', reason });
      return;
    }
    model.items[at] = 'running';
    model.available -= 1;
  }
}

function expectTurn(model: Model, maxOpen: number): void {
  if (model.status === 'finishing') return close(model);
  if (model.status !== 'running' && model.status !== 'paused') return;
  if (model.isOverdue) {
    finish(model, 'expired');
    return close(model);
  }
  if (model.status === 'paused') {
    if (model.reason !== 'insufficient_balance' || model.available < 1) return;
    Object.assign(model, { status: 'running', reason: null });
  }
  if (countOf(model, 'waiting') > 0) return admit(model, maxOpen);
  finish(model, 'completed');
  close(model);
}

const fails = (remainder: number) => (customId: string) => Number(customId.slice(5)) % 3 === remainder;

const turns = (maxOpen: number): Step => ({
  name: `turn, ${maxOpen} open`,
  perform: () => turn(maxOpen),
  expect: (model) => expectTurn(model, maxOpen),
});

const runs = (remainder: number): Step => ({
  name: `run, of three fails ${remainder}`,
  perform: (batch) => run(batch, fails(remainder)),
  expect(model) {
    model.items = model.items.map((one, at) => {
      if (one !== 'running') return one;
      const isFailing = fails(remainder)(`item-${at}`);
      if (isFailing) model.available += 1;
      else model.cost += 1;
      return isFailing ? 'failed' : 'completed';
    });
  },
});

const retries = (statuses: Retryable[]): Step => ({
  name: `retry ${statuses.join()}`,
  perform: (batch) => retryItems(gateway, batch, { statuses, customIds: null, errorCodes: null }),
  expect(model) {
    const isClosing = model.status === 'finishing' && model.endsAs !== 'completed';
    if (isClosing || !statuses.some((one) => countOf(model, one) > 0)) return;
    for (const status of statuses) move(model, status, 'waiting');
    Object.assign(model, { status: 'running', endsAs: null, reason: null, isOverdue: false });
  },
});

const others: Step[] = [
  {
    name: 'cancel',
    perform: (batch) => finishBatch(gateway, batch, 'cancelled'),
    expect(model) {
      if (['running', 'paused', 'finishing'].includes(model.status)) finish(model, 'cancelled');
    },
  },
  {
    name: 'expire',
    perform: letExpire,
    expect(model) {
      model.isOverdue = true;
    },
  },
  {
    name: 'pause',
    perform: (batch) => pauseBatch(gateway, batch, 'requested'),
    expect(model) {
      const mayPause = model.status === 'running' && countOf(model, 'waiting') > 0;
      if (mayPause) Object.assign(model, { status: 'paused', reason: 'requested' });
    },
  },
  {
    name: 'resume',
    perform: (batch) => resumeBatch(gateway, batch.organizationId, batch.id),
    expect(model) {
      if (model.status === 'paused') Object.assign(model, { status: 'running', reason: null });
    },
  },
  {
    name: 'top up',
    perform: ({ organizationId }) =>
      topUp(owner, { organizationId, amount: '2', reason: null, idempotencyKey: null }),
    expect(model) {
      model.available += 2;
    },
  },
];

const retryable: Retryable[] = ['failed', 'cancelled', 'expired'];
const anyStep = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: count }).map(turns) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 3 }).map(runs) },
  { weight: 2, arbitrary: fc.subarray(retryable, { minLength: 1 }).map(retries) },
  { weight: 4, arbitrary: fc.constantFrom(...others) },
);

const start = () => newBatch(count, { balance: String(opening), maxCost: String(maxCost) });

const statuses: ItemStatus[] = ['waiting', 'running', 'completed', 'failed', 'cancelled', 'expired'];

async function viewOf(batch: Batch) {
  const [now, balance] = [await read(batch), await getBalance(owner, batch.organizationId)];
  const { status, reason, endsAs } = now;
  const counts = Object.fromEntries(statuses.map((one) => [one, now[one as keyof Batch]]));
  const money = [now.cost, now.held, balance?.available, balance?.held].map(Number);
  return { status, reason, endsAs, counts, money };
}

function expectedView(model: Model) {
  const { status, reason, endsAs, cost, available } = model;
  const counts = Object.fromEntries(statuses.map((one) => [one, countOf(model, one)]));
  return { status, reason, endsAs, counts, money: [cost, counts['running'], available, counts['running']] };
}

async function oneByOne(steps: Step[]): Promise<void> {
  const batch = await start();
  const items: ItemStatus[] = Array.from({ length: count }, () => 'waiting');
  const unset = { reason: null, endsAs: null, isOverdue: false, cost: 0 };
  const model: Model = { ...unset, status: 'running', items, available: opening };
  for (const [at, step] of steps.entries()) {
    await step.perform(batch);
    step.expect(model);
    expect({ at, step: step.name, ...(await viewOf(batch)) }).toEqual({
      at,
      step: step.name,
      ...expectedView(model),
    });
  }
  await end(batch);
}

async function atOnce(groups: Step[][]): Promise<void> {
  const batch = await start();
  for (const steps of groups) {
    const results = await Promise.allSettled(steps.map((step) => step.perform(batch)));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }
  await end(batch);
}

/** Cancels it. Every item then has ended once, and what was charged is the cost of the batch. */
async function end(batch: Batch): Promise<void> {
  await finishBatch(gateway, batch, 'cancelled');
  await turn();
  const { status, counts, money } = await viewOf(batch);
  expect(['completed', 'cancelled', 'expired']).toContain(status);
  expect(Object.values(counts).reduce<number>((sum, one) => sum + Number(one), 0)).toBe(count);
  const sql = 'SELECT coalesce(sum(cost), 0)::float8 AS charged FROM executions WHERE batch_id = $1';
  const { rows } = await owner.pool.query<{ charged: number }>(sql, [batch.id]);
  expect([money[0], money[1], money[3]]).toEqual([rows[0]?.charged, 0, 0]);
  expect(await auditLedger(ledger)).toEqual([]);
}

describe('random steps on a batch', () => {
  it(
    'have the effect on its status, items and money that a simple model has when they run one by one',
    async () => {
      const steps = fc.array(anyStep, { minLength: 1, maxLength: 60, size: 'max' });
      await fc.assert(fc.asyncProperty(steps, oneByOne), propertyOptions(12));
    },
    longestMs,
  );

  it(
    'leave every item once, and exact amounts, when several of them run at once',
    async () => {
      const groups = fc.array(fc.array(anyStep, { minLength: 2, maxLength: 5 }), {
        minLength: 1,
        maxLength: 12,
      });
      await fc.assert(fc.asyncProperty(groups, atOnce), propertyOptions(12));
    },
    longestMs,
  );
});
