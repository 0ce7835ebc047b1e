import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { testRedisUrl } from '@holdfast/testkit/testRedis';
import { until } from '@holdfast/testkit/until';
import { type Receiver, startReceiver } from '@holdfast/testkit/webhookReceiver';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startWebhookSender } from './start.ts';
import { openStage, type Stage } from './testing/stage.ts';

let stage: Stage;
let receiver: Receiver;
let organizationId: string;

beforeAll(async () => {
  stage = await openStage(await createTestDatabase(), testRedisUrl());
});
afterAll(() => stage.close());

beforeEach(async () => {
  receiver = await startReceiver();
  organizationId = (await stage.addOrganization()).id;
});
afterEach(() => receiver.close());

async function addEvents(count: number): Promise<string[]> {
  const adding = Array.from({ length: count }, () => stage.addEvent(organizationId, 'execution.completed'));
  const eventIds = (await Promise.all(adding)).map(({ eventId }) => eventId);
  await stage.fanout.add({ eventIds });
  return eventIds;
}

const delivered = () => stage.db.prisma.delivery.count({ where: { organizationId, state: 'delivered' } });

describe('the webhook-sender', () => {
  it('says that it is alive, ready, and what it delivered', async () => {
    await stage.addEndpoint(organizationId, receiver.url);
    await addEvents(1);
    await until('the delivery', async () => (await delivered()) === 1);
    const ask = (path: string) => fetch(`http://127.0.0.1:${stage.sender().healthPort}/${path}`);
    expect((await ask('healthz')).status).toBe(200);
    expect((await ask('readyz')).status).toBe(200);
    await until('the metric', async () =>
      /webhook_deliveries_total{outcome="delivered"[^}]*} 1/.test(await (await ask('metrics')).text()),
    );
    expect(await (await ask('metrics')).text()).toMatch(/webhook_places_taken{[^}]*} 0/);
  });

  it('delivers every event once, with two senders and jobs that come twice', async () => {
    const other = await startWebhookSender(stage.config, stage.log);
    await stage.addEndpoint(organizationId, receiver.url);
    const eventIds = await addEvents(60);
    await stage.fanout.add({ eventIds });
    await until('all deliveries', async () => (await delivered()) === 60);
    await other.stop();
    const received = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(received).toHaveLength(60);
    expect(new Set(received)).toEqual(new Set(eventIds));
  });

  it('finishes the requests in flight, and records them, before it stops', async () => {
    await stage.addEndpoint(organizationId, receiver.url);
    const held: (() => void)[] = [];
    receiver.answer = (_request, response) => void held.push(() => void response.writeHead(200).end());
    await addEvents(3);
    await until('the requests', () => held.length === 3);
    const stopping = stage.stopSender();
    for (const finish of held) finish();
    await stopping;
    expect(await delivered()).toBe(3);
    await stage.startSender();
  });
});
