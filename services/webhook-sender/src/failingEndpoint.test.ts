import { updateWebhookEndpoint } from '@holdfast/db/webhooks/endpoints';
import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { testRedisUrl } from '@holdfast/testkit/testRedis';
import { until } from '@holdfast/testkit/until';
import { type Receiver, startReceiver, status } from '@holdfast/testkit/webhookReceiver';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startWebhookSender } from './start.ts';
import { openStage, type Stage } from './testing/stage.ts';

let stage: Stage;
let receiver: Receiver;
let organizationId: string;

beforeAll(async () => {
  stage = await openStage(await createTestDatabase(), testRedisUrl(), {
    WEBHOOK_RETRY_DELAYS_S: '0,30,300,3600,21600',
  });
});
afterAll(() => stage.close());

beforeEach(async () => {
  receiver = await startReceiver();
  organizationId = (await stage.addOrganization()).id;
});
afterEach(() => receiver.close());

async function addEvents(count: number): Promise<void> {
  const events = await Promise.all(
    Array.from({ length: count }, () => stage.addEvent(organizationId, 'execution.completed')),
  );
  await stage.fanout.add({ eventIds: events.map(({ eventId }) => eventId) });
}

const deliveries = (where: object = {}) =>
  stage.db.prisma.delivery.findMany({ where: { organizationId, ...where } });
const count = (where: object) => deliveries(where).then(({ length }) => length);

/** Whether what is fanned out from two minutes hence counts as missed. */
async function missesEvents(id: string): Promise<boolean | undefined> {
  const { rows } = await stage.db.pool.query<{ misses: boolean }>(
    `SELECT missed @> now() + interval '2 minutes' AS misses FROM webhook_endpoints WHERE id = $1`,
    [id],
  );
  return rows[0]?.misses;
}

describe('a failing endpoint', () => {
  it('is deactivated by the tenth failure in a row; what waits flows when it is activated again', async () => {
    const endpoint = await stage.addEndpoint(organizationId, receiver.url, {
      failureCount: 9,
      probeAt: new Date(0),
    });
    receiver.answer = status(500);
    await addEvents(5);
    await until('the deactivation', async () => !(await endpoint.now()).isActive);
    expect(await endpoint.now()).toMatchObject({ failureCount: 10, lastError: 'answered 500' });
    expect(await missesEvents(endpoint.id)).toBe(true);
    await until('all to be fanned out', async () => (await count({})) === 5);
    for (let n = 0; n < 3; n++) await stage.sender().sweepNow();
    expect(receiver.received).toHaveLength(1);
    expect(await count({ state: 'pending', attempts: 0 })).toBe(4);

    receiver.answer = status(200);
    await updateWebhookEndpoint(stage.db, organizationId, endpoint.id, { isActive: true });
    await until('all deliveries', async () => (await count({ state: 'delivered' })) === 5);
    expect(await endpoint.now()).toMatchObject({ failureCount: 0, isActive: true, probeAt: null });
    expect(await missesEvents(endpoint.id)).toBe(false);
    expect(receiver.received).toHaveLength(6);
  });

  it('is deactivated at once by 410', async () => {
    const endpoint = await stage.addEndpoint(organizationId, receiver.url);
    receiver.answer = status(410);
    await addEvents(1);
    await until('the deactivation', async () => !(await endpoint.now()).isActive);
    expect(await count({ state: 'pending' })).toBe(1);
  });

  it('is only probed, farther and farther apart, and what waits behind a probe uses up no attempt', async () => {
    const endpoint = await stage.addEndpoint(organizationId, receiver.url);
    receiver.answer = status(500);
    await addEvents(1);
    await until('the first failure', async () => (await endpoint.now()).failureCount === 1);
    await addEvents(30);
    await until('two failed probes', async () => (await endpoint.now()).failureCount === 3);
    const [first, second, third] = receiver.received.map(({ atMs }) => atMs) as [number, number, number];
    expect(receiver.received).toHaveLength(3);
    expect(second - first).toBeGreaterThan(950);
    expect(third - second).toBeGreaterThan(1950);
    expect(await count({ attempts: 0 })).toBe(28);

    receiver.answer = status(200);
    await until('all that waits', async () => (await count({ state: 'delivered' })) === 28);
    expect(await endpoint.now()).toMatchObject({ failureCount: 0, probeAt: null, isActive: true });
    expect(await count({ state: 'pending', attempts: 1 })).toBe(3);
  });

  it('gets one probe at a time, however many jobs and senders ask', async () => {
    const other = await startWebhookSender(stage.config, stage.log);
    const endpoint = await stage.addEndpoint(organizationId, receiver.url, {
      failureCount: 3,
      probeAt: new Date(0),
    });
    let release = () => {};
    receiver.answer = (_request, response) => {
      release = () => void response.writeHead(200).end();
    };
    await addEvents(20);
    await until('the probe', () => receiver.received.length === 1);
    await until('all to be fanned out', async () => (await count({})) === 20);
    for (let n = 0; n < 20; n++) await stage.deliver.add({ lane: endpoint.id, organizationId });
    for (let n = 0; n < 3; n++) await Promise.all([stage.sender(), other].map((sender) => sender.sweepNow()));
    expect(receiver.received).toHaveLength(1);
    receiver.answer = status(200);
    release();
    await until('all deliveries', async () => (await count({ state: 'delivered' })) === 20);
    await other.stop();
    expect((await endpoint.now()).failureCount).toBe(0);
  });

  it('survives a blip: requests in flight when it began to fail count as one failure', async () => {
    const endpoint = await stage.addEndpoint(organizationId, receiver.url, { maxInFlight: 25 });
    const held: (() => void)[] = [];
    receiver.answer = (_request, response) => void held.push(() => void response.writeHead(500).end());
    await addEvents(25);
    await until('all requests', () => held.length === 25);
    receiver.answer = status(200);
    for (const fail of held) fail();
    await until('all failures', async () => (await count({ attempts: 1, leaseUntil: null })) === 25);
    expect(await endpoint.now()).toMatchObject({ failureCount: 1, isActive: true });
  });

  it('is written by a success that tells something new, not by each', async () => {
    const endpoint = await stage.addEndpoint(organizationId, receiver.url);
    const succeedAfter = async (data: { lastSuccess: Date; failureCount?: number }) => {
      await stage.db.prisma.webhookEndpoint.update({ where: { id: endpoint.id }, data });
      const before = await count({ state: 'delivered' });
      await addEvents(1);
      await until('a delivery', async () => (await count({ state: 'delivered' })) > before);
      return await endpoint.now();
    };
    const [old, young] = [new Date(Date.now() - 3_600_000), new Date(Date.now() + 3_600_000)];
    expect((await succeedAfter({ lastSuccess: old })).lastSuccess?.getTime()).toBeGreaterThan(old.getTime());
    expect((await succeedAfter({ lastSuccess: young })).lastSuccess).toEqual(young);
    expect(await succeedAfter({ lastSuccess: young, failureCount: 3 })).toMatchObject({ failureCount: 0 });
  });
});
