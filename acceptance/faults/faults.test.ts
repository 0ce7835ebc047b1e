import { randomInt } from 'node:crypto';
import { auditLedger } from '@holdfast/db/audit/audit';
import { MoneyDecimal } from '@holdfast/domain/money';
import { type ApiClient, apiClient } from '@holdfast/testkit/apiClient';
import { closing } from '@holdfast/testkit/closing';
import type { Customer } from '@holdfast/testkit/testData';
import { testFolder } from '@holdfast/testkit/testFolder';
import { emptyRedis } from '@holdfast/testkit/testRedis';
import { until } from '@holdfast/testkit/until';
import { type Receiver, startReceiver } from '@holdfast/testkit/webhookReceiver';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EventBody } from '../stack/executions.ts';
import { startFleet } from '../stack/fleet.ts';

let customer: Customer;
let receiver: Receiver;

const fleet = closing(await startFleet(testFolder('fleet')));

beforeEach(async () => {
  receiver = await startReceiver();
  customer = await fleet.newCustomer();
  await customer.api.post('/v1/webhooks/endpoints', { url: receiver.url });
});
afterEach(() => receiver.close());

type Input = Record<string, unknown>;
type Wanted = { model: string; input: Input };

const text = (index: number, longestMs = 3000): Wanted => ({
  model: 'sandbox-text',
  input: {
    prompt: `number ${index}`,
    delay_ms: randomInt(500, longestMs),
    mode: index % 2 ? 'sync' : 'callback',
  },
});
/** Some of these still run when all are created, however slowly this process goes on. */
const longText = (index: number) => text(index, 12_000);
const image = (index: number): Wanted => ({
  model: 'sandbox-image',
  input: { prompt: `image ${index}`, width: 64, height: 64, delay_ms: randomInt(500, 3000) },
});

/** Creates once: repeats the request with the same key until there is a response. */
async function createSurely(api: ApiClient, { model, input }: Wanted, key: string): Promise<string> {
  return await until(
    'a create gets a response',
    async () => {
      try {
        const headers = { 'idempotency-key': key };
        const { status, body } = await api.post('/v1/executions', { model, input }, headers);
        return status === 202 && (body['id'] as string);
      } catch {
        return null; // The gateway is unavailable; the client can't know how far the request came.
      }
    },
    60_000,
  );
}

type Load = {
  count: number;
  width?: number;
  wanted?: (index: number) => Wanted;
  wave?: string;
  api?: ApiClient;
};

/** `count` executions, `width` creates at a time, so that creating continues during the faults. */
async function createMany(load: Load): Promise<string[]> {
  const { count, width = 4, wanted = (index: number) => text(index), wave = '', api = customer.api } = load;
  const ids: string[] = [];
  const next = async (start: number): Promise<void> => {
    for (let index = start; index < count; index += width)
      ids.push(await createSurely(api, wanted(index), `${customer.organizationId}-${wave}-${index}`));
  };
  await Promise.all(Array.from({ length: width }, (_, start) => next(start)));
  return ids;
}

/** Resolves in the middle of things: some runs are in flight in a dispatcher, some await their callback. */
async function untilInTheMiddle(): Promise<void> {
  const count = async (status: string) =>
    (await executions()).filter((execution) => execution.status === status).length;
  await until(
    'runs are under way',
    async () => Math.min(await count('PROCESSING'), await count('AWAITING_WEBHOOK')) > 2,
    30_000,
  );
}

const executions = () =>
  fleet.db.prisma.execution.findMany({ where: { organizationId: customer.organizationId } });

/** Resolves when everything has come to rest: executions, attempts, inbox, events, deliveries. */
async function untilAtRest(count: number, timeoutMs: number): Promise<void> {
  const { prisma } = fleet.db;
  const { organizationId } = customer;
  let left = {};
  await until(
    'everything comes to rest',
    async () => {
      const open = await prisma.execution.count({ where: { organizationId, completedAt: null } });
      const ids = (await executions()).map(({ id }) => id);
      left = {
        missing: count - ids.length,
        open,
        attempts: await prisma.attempt.count({ where: { executionId: { in: ids }, finishedAt: null } }),
        unsettled: await prisma.attempt.count({
          where: { executionId: { in: ids }, settledAt: null, state: { not: 'refused' } },
        }),
        callbacks: await prisma.providerCallback.count({ where: { processedAt: null } }),
        events: await prisma.event.count({ where: { organizationId, fannedOutAt: null } }),
        deliveries: await prisma.delivery.count({ where: { organizationId, state: 'pending' } }),
      };
      return Object.values(left).every((number) => number === 0);
    },
    timeoutMs,
  ).catch((error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(left)}\n${fleet.said.slice(-20).join('\n')}`);
  });
}

/** Each execution ended once, was paid for if it succeeded, and its events were received; the ledger is right. */
async function expectConsistent(ids: string[]): Promise<void> {
  expect(new Set(ids).size).toBe(ids.length);
  const ended = await executions();
  expect(new Set(ended.map(({ id }) => id))).toEqual(new Set(ids));

  const spent = ended.reduce((sum, { cost }) => sum.plus(String(cost ?? 0)), new MoneyDecimal(0));
  const { available, held } = (await customer.api.get('/v1/balance')).body;
  expect([Number(available), Number(held)]).toEqual([new MoneyDecimal(100).minus(spent).toNumber(), 0]);

  const events = receiver.received.map(({ body }) => ({ body, ...(JSON.parse(body) as EventBody) }));
  const received = new Set(events.map((event) => `${event.execution_id} ${event.type}`));
  const due = ended.flatMap(({ id, status }) => [
    `${id} execution.started`,
    `${id} execution.${status.toLowerCase()}`,
  ]);
  expect(due.filter((event) => !received.has(event))).toEqual([]);
  expect(received.size).toBe(due.length);
  // Sent twice, an event has the same id and the same bytes.
  expect(new Set(events.map(({ body }) => body)).size).toBe(due.length);

  const accepted = { executionId: { in: ids }, state: { not: 'refused' } };
  expect(await fleet.db.prisma.attempt.count({ where: accepted })).toBe(ids.length);
  expect(await auditLedger(fleet.db)).toEqual([]);
}

const prices: Record<string, string> = { 'sandbox-text': '0.01', 'sandbox-image': '0.04' };

/** No client saw a fault: every execution completed and was charged its price. */
async function expectAllDone(ids: string[]): Promise<void> {
  await expectConsistent(ids);
  const ended = await executions();
  expect(ended.map(({ status, cost }) => `${status} ${String(cost)}`)).toEqual(
    ended.map(({ model }) => `COMPLETED ${prices[model]}`),
  );
}

describe('executions are neither lost nor repeated', () => {
  it('when each service is killed in the middle of 200 executions', async () => {
    const wanted = (index: number) => (index % 10 ? text(index) : image(index));
    const creating: Promise<string[]>[] = [];
    for (const name of ['dispatcher', 'api-gateway', 'ledger', 'webhook-sender']) {
      creating.push(createMany({ count: 50, wanted, wave: name, width: 2 }));
      await untilInTheMiddle();
      await fleet.kill(name);
    }
    const ids = (await Promise.all(creating)).flat();
    await untilAtRest(200, 90_000);
    await expectAllDone(ids);
    const files = await fleet.db.prisma.file.findMany({
      where: { executionId: { in: ids }, state: 'ready' },
    });
    const responses = await Promise.all(
      files.map(({ id }) =>
        customer.api.fetch(`/v1/files/${id}/download`).then((response) => response.status),
      ),
    );
    expect(new Set(files.map(({ executionId }) => executionId)).size).toBe(20);
    expect(new Set(responses)).toEqual(new Set([200]));
  }, 180_000);

  it('when Redis is emptied in the middle of 200 executions', async () => {
    const ids = await createMany({ count: 200, width: 16, wanted: longText });
    await untilInTheMiddle();
    await emptyRedis(fleet.redisUrl);
    await untilAtRest(200, 90_000);
    await expectAllDone(ids);
  }, 180_000);

  it('when Redis dies and restarts in the middle', async () => {
    const creating = createMany({ count: 40, width: 2 });
    await untilInTheMiddle();
    await fleet.crash('redis');
    const ids = await creating;
    await untilAtRest(40, 90_000);
    await expectAllDone(ids);
  }, 180_000);

  it('when Postgres dies and restarts in the middle', async () => {
    const creating = createMany({ count: 40, width: 2 });
    await untilInTheMiddle();
    await fleet.crash('postgres');
    const ids = await creating;
    await untilAtRest(40, 90_000);
    await expectAllDone(ids);
  }, 180_000);

  it('when the database is all that is left of them', async () => {
    for (const name of ['ledger', 'webhook-sender']) fleet.signal(name, 'SIGSTOP');
    const ids = await createMany({ count: 40, width: 8 });
    const outcomes = () =>
      fleet.db.prisma.attempt.count({ where: { executionId: { in: ids }, outcome: { not: 'null' } } });
    await until('the dispatcher is done', async () => (await outcomes()) === 40, 30_000);
    for (const name of ['dispatcher', 'ledger', 'webhook-sender']) fleet.signal(name, 'SIGKILL');
    await emptyRedis(fleet.redisUrl);
    await untilAtRest(40, 90_000);
    await expectAllDone(ids);
  }, 180_000);

  it('when the provider dies in the middle and loses its runs', async () => {
    const creating = createMany({ count: 40, width: 2 });
    await untilInTheMiddle();
    await fleet.kill('sandbox');
    const ids = await creating;
    await untilAtRest(40, 90_000);
    await expectConsistent(ids);
    const failures = (await executions()).filter(({ status }) => status !== 'COMPLETED');
    expect(failures.filter(({ errorCode }) => errorCode !== 'MODEL_UNAVAILABLE')).toEqual([]);
  }, 180_000);

  it('when Redis hangs, and creates still succeed', async () => {
    fleet.signal('redis', 'SIGSTOP');
    const ids = await createMany({ count: 20, width: 10 }).finally(() => fleet.signal('redis', 'SIGCONT'));
    await untilAtRest(20, 90_000);
    await expectAllDone(ids);
  }, 180_000);

  it('when a dispatcher is suspended beyond its leases and wakes up after another has taken over', async () => {
    await fleet.addCopy('dispatcher');
    const ids = await createMany({ count: 200, width: 16, wanted: longText });
    await untilInTheMiddle();
    fleet.signal('dispatcher', 'SIGSTOP');
    await untilAtRest(200, 60_000).finally(() => fleet.signal('dispatcher', 'SIGCONT'));
    await until('it is awake', () => fleet.isReady('dispatcher'));
    await expectAllDone(ids);
  }, 180_000);

  it('when one of two instances of every service is stopped in the middle', async () => {
    const names = ['api-gateway', 'dispatcher', 'ledger', 'webhook-sender'] as const;
    const [otherUrl = ''] = await Promise.all(names.map(fleet.addCopy));
    const all = Array.from({ length: 200 }, (_, index) => text(index));
    const load = { count: all.length, wanted: (index: number) => all[index] as Wanted };
    // The same creates through both gateways: each is accepted once.
    const twins = [customer.api, apiClient(otherUrl, customer.apiKey)];
    const creating = Promise.all(twins.map((api) => createMany({ ...load, api })));
    await untilInTheMiddle();
    const deaths = fleet.deaths();
    for (const name of names) fleet.signal(name, 'SIGTERM');
    const [ids = [], others] = await creating;
    expect(new Set(others)).toEqual(new Set(ids));
    await untilAtRest(all.length, 90_000);
    await expectAllDone(ids);
    expect(await fleet.metricsOf('dispatcher-2')).toMatch(/^holdfast_runs_total\{.*\} [1-9]/m);
    await until('all of them run again', async () => {
      const ready = await Promise.all(names.map(fleet.isReady));
      return fleet.deaths() === deaths + names.length && ready.every(Boolean);
    });
  }, 180_000);
});
