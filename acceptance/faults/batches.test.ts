import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { auditLedger } from '@holdfast/db/audit/audit';
import { topUp } from '@holdfast/db/balances';
import type { batchRecord } from '@holdfast/domain/batch';
import { closing } from '@holdfast/testkit/closing';
import type { Customer } from '@holdfast/testkit/testData';
import { testFolder } from '@holdfast/testkit/testFolder';
import { until } from '@holdfast/testkit/until';
import { expect, it } from '@jest/globals';
import { startFleet } from '../stack/fleet.ts';

/** More (`BATCH_LINES=100000`) is for a machine that does nothing else. */
const lines = Number(process.env['BATCH_LINES'] ?? 2000);
const cuts = 5;
const rounds = 4;
const price = 0.01;
const services = ['api-gateway', 'dispatcher', 'ledger', 'webhook-sender'];

type Batch = ReturnType<typeof batchRecord>;

const fleet = closing(await startFleet(testFolder('batches')));

const whileAway = <Value>(what: string, look: () => Promise<Value>) =>
  until(what, () => look().catch(() => null), 300_000);

async function post(customer: Customer, path: string, body?: unknown): Promise<Batch> {
  return (await whileAway(`${path} gets a response`, async () => {
    const response = await customer.api.post(`/v1/batches${path}`, body);
    return response.status < 300 && response.body;
  })) as Batch;
}

const read = async (customer: Customer, id: string) =>
  (await whileAway('it is read', async () => (await customer.api.get(`/v1/batches/${id}`)).body)) as Batch;

const bodyOf = (count: number) =>
  Buffer.from(
    Array.from({ length: count }, (_, at) => `{"custom_id":"line-${at}","input":{"prompt":"Hello"}}\n`).join(
      '',
    ),
  );

/** Sends the items until a response has come whole; the first `cuts` connections break somewhere. */
async function addItems(customer: Customer, id: string, count: number, cuts: number): Promise<void> {
  const whole = bodyOf(count);
  for (let sent = 0; ; sent += 1) {
    const isCut = sent < cuts;
    const body = isCut ? breaking(whole.subarray(0, randomInt(whole.length))) : whole;
    const init = {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { 'content-type': 'application/x-ndjson' },
    };
    const signal = AbortSignal.timeout(300_000);
    const response = await customer.api
      .fetch(`/v1/batches/${id}/items`, { ...init, signal } as RequestInit)
      .then(async (one) => (one.status === 200 ? await one.text() : ''))
      .catch(() => '');
    expect(isCut && response.includes('accepted')).toBe(false);
    if (!response.includes('accepted')) continue;
    const { accepted, duplicates, rejected } = JSON.parse(response);
    expect([accepted + duplicates, rejected]).toEqual([count, 0]);
    return;
  }
}

function breaking(bytes: Buffer): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async start(controller) {
      controller.enqueue(bytes);
      await delay(300);
      controller.error(new Error('cut'));
    },
  });
}

async function newBatch(customer: Customer, count: number, cuts = 0): Promise<string> {
  const { id } = await post(customer, '', { model: 'sandbox-text' });
  await addItems(customer, id, count, cuts);
  return id;
}

const customIdsIn = async (customer: Customer, fileId: string) => {
  const text = await (await customer.api.fetch(`/v1/files/${fileId}/download`)).text();
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).custom_id as string);
};

/** Every item once, in the file where it belongs; paid exactly. */
async function expectWhole(customer: Customer, batch: Batch, balance: number): Promise<void> {
  const output = await customIdsIn(customer, batch.output_file_id);
  const errors = await customIdsIn(customer, batch.error_file_id);
  expect([output.length, errors.length]).toEqual([
    batch.counts.completed,
    batch.counts.total - batch.counts.completed,
  ]);
  expect(new Set([...output, ...errors]).size).toBe(batch.counts.total);
  await expectBalanced(customer, batch, balance);
}

/** What completed is charged, and nothing else. */
async function expectBalanced(customer: Customer, batch: Batch, balance: number): Promise<void> {
  expect(Number(batch.cost)).toBeCloseTo(batch.counts.completed * price, 8);
  const { available, held } = (await customer.api.get('/v1/balance')).body;
  expect([Number(available), Number(held)]).toEqual([expect.closeTo(balance - Number(batch.cost), 8), 0]);
  expect(await auditLedger(fleet.db)).toEqual([]);
}

const hasEnded = ({ ended_at: endedAt }: Batch) => endedAt !== null;

it('every line runs to its end once, whatever is cut, killed or emptied', async () => {
  const customer = await fleet.newCustomer(String(lines));
  const id = await newBatch(customer, lines, cuts);
  await post(customer, `/${id}/seal`);
  for (let round = 0; round < rounds; round += 1) {
    for (const service of services) {
      await delay(randomInt(200, 1000));
      await fleet.kill(service);
    }
    if (round % 2 === 1) await fleet.crash('redis');
  }
  // A run that died with its dispatcher fails: nobody knows what became of it.
  for (let batch = await read(customer, id); batch.counts.completed < lines; ) {
    batch = await whileAway('it has ended', async () => {
      const one = await read(customer, id);
      return hasEnded(one) && one;
    });
    await expectWhole(customer, batch, lines);
    if (batch.counts.completed < lines)
      await post(customer, `/${id}/retry`, { filter: { status: ['failed', 'expired'] } });
  }
  expect(await read(customer, id)).toMatchObject({
    status: 'completed',
    counts: { total: lines, completed: lines },
  });
}, 900_000);

it('a batch whose balance is used up pauses, and goes on within seconds of a top-up', async () => {
  const [count, balance] = [500, 3];
  const customer = await fleet.newCustomer(String(balance));
  const id = await newBatch(customer, count);
  await post(customer, `/${id}/seal`);
  const paused = await whileAway('it is paused', async () => {
    const batch = await read(customer, id);
    return batch.status === 'paused' && batch;
  });
  // What is left is less than a hold.
  expect(paused).toMatchObject({ reason: 'insufficient_balance', counts: { completed: 299, waiting: 201 } });
  const { organizationId } = customer;
  await topUp(fleet.db, { organizationId, amount: '10', reason: null, idempotencyKey: null });
  const batch = await whileAway('it has ended', async () => {
    const one = await read(customer, id);
    return hasEnded(one) && one;
  });
  expect(batch).toMatchObject({ status: 'completed', counts: { completed: count } });
  await expectWhole(customer, batch, balance + 10);
}, 300_000);

it('max_cost is exact to its last digit while four ledgers admit and four dispatchers run', async () => {
  for (const service of ['ledger', 'dispatcher'] as const)
    for (let copies = 1; copies < 4; copies += 1) await fleet.addCopy(service);
  const customer = await fleet.newCustomer('100');
  // A hold is 0.012: after 199 lines for 1.99, one more would need 2.002.
  const { id } = await post(customer, '', { model: 'sandbox-text', max_cost: '2.00199999' });
  await addItems(customer, id, 1000, 0);
  await post(customer, `/${id}/seal`);
  const pausedAt = async (completed: number, cost: string) => {
    const batch = await whileAway('it is paused', async () => {
      const one = await read(customer, id);
      return one.status === 'paused' && one;
    });
    expect(batch).toMatchObject({ reason: 'max_cost', cost, held: '0.00', counts: { completed } });
    await expectBalanced(customer, batch, 100);
  };
  await pausedAt(199, '1.99');
  await post(customer, `/${id}/resume`, { max_cost: '2.002' });
  await pausedAt(200, '2.00');
}, 300_000);
