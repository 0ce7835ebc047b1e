import { updateWebhookEndpoint } from '@holdfast/db/webhooks/endpoints';
import { until } from '@holdfast/testkit/until';
import { status } from '@holdfast/testkit/webhookReceiver';
import { describe, expect, it } from '@jest/globals';
import { startWebhookSender } from './start.ts';
import { useStage } from './testing/stage.ts';

const stage = await useStage({ WEBHOOK_RETRY_DELAYS_S: '0,30,300,3600,21600' });

const { count } = stage;

/** Whether events that are fanned out in two minutes would count as missed. */
async function missesEvents(id: string): Promise<boolean | undefined> {
  const { rows } = await stage.db.pool.query<{ misses: boolean }>(
    `SELECT missed @> now() + interval '2 minutes' AS misses FROM webhook_endpoints WHERE id = $1`,
    [id],
  );
  return rows[0]?.misses;
}

describe('a failing endpoint', () => {
  it('is deactivated by the tenth failure in a row and gets the pending deliveries when it is activated again', async () => {
    const endpoint = await stage.addEndpoint(stage.organization.id, stage.receiver.url, {
      failureCount: 9,
      probeAt: new Date(0),
    });
    stage.receiver.respond = status(500);
    await stage.publishMany(5);
    await until('the deactivation', async () => !(await endpoint.read()).isActive);
    expect(await endpoint.read()).toMatchObject({ failureCount: 10, lastError: 'responded with 500' });
    expect(await missesEvents(endpoint.id)).toBe(true);
    await until('the fan-out', async () => (await count({})) === 5);
    for (let n = 0; n < 3; n++) await stage.sender().sweepNow();
    expect(stage.receiver.received).toHaveLength(1);
    expect(await count({ state: 'pending', attempts: 0 })).toBe(4);

    stage.receiver.respond = status(200);
    await updateWebhookEndpoint(stage.db, stage.organization.id, endpoint.id, { isActive: true });
    await until('all deliveries', async () => (await count({ state: 'delivered' })) === 5);
    expect(await endpoint.read()).toMatchObject({ failureCount: 0, isActive: true, probeAt: null });
    expect(await missesEvents(endpoint.id)).toBe(false);
    expect(stage.receiver.received).toHaveLength(6);
  });

  it('is deactivated at once by 410', async () => {
    const endpoint = await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    stage.receiver.respond = status(410);
    await stage.publishMany(1);
    await until('the deactivation', async () => !(await endpoint.read()).isActive);
    expect(await count({ state: 'pending' })).toBe(1);
  });

  it('gets only probes at growing intervals, and the deliveries behind a probe use up no attempt', async () => {
    const endpoint = await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    const { received } = stage.receiver;
    stage.receiver.respond = (_request, response) =>
      void response.writeHead(received.length > 3 ? 200 : 500).end();
    await stage.publishMany(1);
    await until('the first failure', async () => (await endpoint.read()).failureCount > 0);
    await stage.publishMany(30);

    await until('all pending deliveries', async () => (await count({ state: 'delivered' })) === 28);
    const gaps = received.slice(1, 4).map(({ atMs }, n) => atMs - (received[n]?.atMs ?? 0));
    for (const [n, leastMs] of [950, 1950, 3950].entries()) expect(gaps[n]).toBeGreaterThan(leastMs);
    expect(await count({ state: 'delivered', attempts: 1 })).toBe(28);
    expect(await count({ state: 'pending', attempts: 1 })).toBe(3);
    expect(received).toHaveLength(31);
    expect(await endpoint.read()).toMatchObject({ failureCount: 0, probeAt: null, isActive: true });
  });

  it('is probed although its oldest deliveries are overdue', async () => {
    const endpoint = await stage.addEndpoint(stage.organization.id, stage.receiver.url, {
      failureCount: 1,
      probeAt: new Date(0),
    });
    await stage.db.pool.query(
      `WITH event AS (
        INSERT INTO events (id, organization_id, endpoint_id, type, body, fanned_out_at)
        SELECT new_id('evt'), $2, '', 'endpoint.failing', '{}', now() FROM generate_series(1, 300) RETURNING id
      )
      INSERT INTO deliveries (id, event_id, organization_id, endpoint_id, lane, url, next_attempt_at, expires_at)
      SELECT delivery_id(id, $1), id, $2, $1, $1, '', now() - interval '23 hours', now() - interval '1 minute' FROM event`,
      [endpoint.id, stage.organization.id],
    );
    await stage.publishMany(1);
    await until('the probe', () => stage.receiver.received.length === 1);
    expect(await count({ state: 'expired' })).toBe(300);
  });

  it('gets one probe at a time from many jobs and two senders', async () => {
    const other = await startWebhookSender(stage.config, stage.log);
    const endpoint = await stage.addEndpoint(stage.organization.id, stage.receiver.url, {
      failureCount: 3,
      probeAt: new Date(0),
    });
    let release = () => {};
    stage.receiver.respond = (_request, response) => {
      release = () => void response.writeHead(200).end();
    };
    await stage.publishMany(20);
    await until('the probe', () => stage.receiver.received.length === 1);
    await until('the fan-out', async () => (await count({})) === 20);
    for (let n = 0; n < 20; n++)
      await stage.deliver.add({ lane: endpoint.id, organizationId: stage.organization.id });
    for (let n = 0; n < 3; n++) await Promise.all([stage.sender(), other].map((sender) => sender.sweepNow()));
    expect(stage.receiver.received).toHaveLength(1);
    stage.receiver.respond = status(200);
    release();
    await until('all deliveries', async () => (await count({ state: 'delivered' })) === 20);
    await other.stop();
    expect((await endpoint.read()).failureCount).toBe(0);
  });

  it('survives a blip, as requests that were in flight at its first failure count as one failure', async () => {
    const endpoint = await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    const held: (() => void)[] = [];
    stage.receiver.respond = (_request, response) => void held.push(() => void response.writeHead(500).end());
    await stage.publishMany(8);
    await until('all requests', () => held.length === 8);
    stage.receiver.respond = status(200);
    for (const fail of held) fail();
    await until('all failures', async () => (await count({ attempts: 1, leaseUntil: null })) === 8);
    expect(await endpoint.read()).toMatchObject({ failureCount: 1, isActive: true });
  });

  it('is none whose secret cannot be opened: the attempt fails and does not count', async () => {
    const endpoint = await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    const { id } = endpoint;
    const setSecret = (secret: string) =>
      stage.db.prisma.webhookEndpoint.update({ where: { id }, data: { secret } });
    await setSecret('lost-key.AAAA');
    await stage.publishMany(1);
    await until('the attempt', async () => (await count({ attempts: 1, leaseUntil: null })) === 1);
    await setSecret(stage.box.seal(endpoint.secret));
    await stage.db.prisma.delivery.updateMany({
      where: { endpointId: id },
      data: { nextAttemptAt: new Date(0) },
    });
    await stage.deliver.add({ lane: id, organizationId: stage.organization.id });
    await until('the delivery', async () => (await count({ state: 'delivered', attempts: 2 })) === 1);
    expect(stage.receiver.received).toHaveLength(1);
    expect(await endpoint.read()).toMatchObject({ lastFailure: null, failureCount: 0 });
  });

  it('is updated only by a success that changes its state', async () => {
    const endpoint = await stage.addEndpoint(stage.organization.id, stage.receiver.url);
    const succeedAfter = async (data: { lastSuccess: Date; failureCount?: number }) => {
      await stage.db.prisma.webhookEndpoint.update({ where: { id: endpoint.id }, data });
      const before = await count({ state: 'delivered' });
      await stage.publishMany(1);
      await until('a delivery', async () => (await count({ state: 'delivered' })) > before);
      return await endpoint.read();
    };
    const [old, young] = [new Date(Date.now() - 3_600_000), new Date(Date.now() + 3_600_000)];
    expect((await succeedAfter({ lastSuccess: old })).lastSuccess?.getTime()).toBeGreaterThan(old.getTime());
    expect((await succeedAfter({ lastSuccess: young })).lastSuccess).toEqual(young);
    expect(await succeedAfter({ lastSuccess: young, failureCount: 3 })).toMatchObject({ failureCount: 0 });
  });
});
