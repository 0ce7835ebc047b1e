import { until } from '@holdfast/testkit/until';
import { describe, expect, it } from '@jest/globals';
import { startWebhookSender } from './start.ts';
import { hold, useStage } from './testing/stage.ts';

const stage = await useStage();

const delivered = () => stage.count({ state: 'delivered' });

describe('the webhook-sender', () => {
  it('reports its health, its readiness and its deliveries', async () => {
    await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    await stage.publishMany(1);
    await until('the delivery', async () => (await delivered()) === 1);
    const get = (path: string) => fetch(`http://127.0.0.1:${stage.sender().healthPort}/${path}`);
    expect((await get('healthz')).status).toBe(200);
    expect((await get('readyz')).status).toBe(200);
    await until('the metric', async () =>
      /webhook_deliveries_total{outcome="delivered"[^}]*} 1/.test(await (await get('metrics')).text()),
    );
    expect(await (await get('metrics')).text()).toMatch(/webhook_slots_taken{[^}]*} 0/);
  });

  it('delivers every event once with two senders and duplicate jobs', async () => {
    const other = await startWebhookSender(stage.config, stage.log);
    await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    const eventIds = await stage.publishMany(60);
    await stage.fanout.add({ eventIds });
    await until('all deliveries', async () => (await delivered()) === 60);
    await other.stop();
    const received = stage.receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(received).toHaveLength(60);
    expect(new Set(received)).toEqual(new Set(eventIds));
  });

  it('finishes and records the requests in flight before it stops', async () => {
    await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    const held = hold(stage.receiver);
    await stage.publishMany(3);
    await until('the requests', () => held.count() === 3);
    const stopping = stage.stopSender();
    held.release();
    await stopping;
    expect(await delivered()).toBe(3);
    await stage.startSender();
  });
});
