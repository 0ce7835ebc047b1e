import { openBreakableProxy } from '@holdfast/testkit/breakableProxy';
import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { emptyRedis, testRedisUrl } from '@holdfast/testkit/testRedis';
import { until } from '@holdfast/testkit/until';
import { startReceiver } from '@holdfast/testkit/webhookReceiver';
import { expect, it } from '@jest/globals';
import { openStage } from './testing/stage.ts';

it('fans out, delivers and retries while Redis is unavailable', async () => {
  await emptyRedis(testRedisUrl());
  const redis = await openBreakableProxy(testRedisUrl());
  const stage = await openStage(await createTestDatabase(), redis.url);
  const receiver = await startReceiver();
  try {
    const { id } = await stage.addOrganization();
    await stage.addEndpoint(id, receiver.url);
    redis.begin('gone');
    receiver.respond = (_request, response) =>
      void response.writeHead(receiver.received.length > 1 ? 200 : 500).end();
    const { eventId } = await stage.addEvent(id, 'execution.completed', {
      createdAt: new Date(Date.now() - 60_000),
    });
    await until('the delivery', async () => {
      const delivery = await stage.db.prisma.delivery.findFirst({ where: { eventId } });
      return delivery?.state === 'delivered';
    });
    expect(receiver.received).toHaveLength(2);
  } finally {
    await receiver.close();
    redis.end();
    // A worker that has lost Redis does not stop before it is connected again.
    const readyz = `http://127.0.0.1:${stage.sender().healthPort}/readyz`;
    await until('Redis', async () => (await fetch(readyz)).ok);
    await stage.close();
    await redis.close();
  }
}, 60_000);
