import { adjustBalance } from '@holdfast/db/balances';
import { decideReview } from '@holdfast/db/executions/reviews';
import { connectWorker } from '@holdfast/queues/connection';
import { adjustQueue, type PayloadOf } from '@holdfast/queues/definitions';
import { startWorker } from '@holdfast/queues/worker';
import type { TestGateway } from './testGateway.ts';

/** A ledger service for top-ups, corrections and decisions on reviews only. */
export function startAdjuster({ context: { db, log }, servers }: TestGateway) {
  const redis = connectWorker(servers.redisUrl, log);
  const process = async (asked: PayloadOf<typeof adjustQueue>) =>
    'executionId' in asked ? await decideReview(db, asked) : await adjustBalance(db, asked);
  const worker = startWorker({ queue: adjustQueue, redis, concurrency: 8, log, process });
  return {
    async stop() {
      await worker.stop();
      redis.disconnect();
    },
  };
}
