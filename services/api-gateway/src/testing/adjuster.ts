import { adjustBalance } from '@holdfast/db/balances';
import { decideReview } from '@holdfast/db/executions/reviews';
import { refundExecution } from '@holdfast/db/refunds';
import { connectWorker } from '@holdfast/queues/connection';
import { adjustQueue, type PayloadOf } from '@holdfast/queues/definitions';
import { startWorker } from '@holdfast/queues/worker';
import { emptyRedis } from '@holdfast/testkit/testRedis';
import { afterAll } from '@jest/globals';
import { startTestGateway, type TestGateway } from './testGateway.ts';

/** A gateway for all tests of a file, with a ledger service for top-ups, corrections and decisions on reviews only. */
export async function gatewayWithAdjuster(settings: Record<string, string> = {}) {
  const gateway = await startTestGateway(settings);
  await emptyRedis(gateway.servers.redisUrl);
  let ledger = startAdjuster(gateway);
  afterAll(async () => {
    await ledger.stop();
    await gateway.close();
  });
  return {
    ...gateway,
    stopLedger: () => ledger.stop(),
    startLedger() {
      ledger = startAdjuster(gateway);
    },
  };
}

function startAdjuster({ context: { db, log }, servers }: TestGateway) {
  const redis = connectWorker(servers.redisUrl, log);
  const process = async (asked: PayloadOf<typeof adjustQueue>) => {
    if (asked.kind === 'refund') return await refundExecution(db, asked);
    return 'executionId' in asked ? await decideReview(db, asked) : await adjustBalance(db, asked);
  };
  const worker = startWorker({ queue: adjustQueue, redis, concurrency: 8, log, process });
  return {
    async stop() {
      await worker.stop();
      redis.disconnect();
    },
  };
}
