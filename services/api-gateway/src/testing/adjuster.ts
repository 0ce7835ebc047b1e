import { adjustBalance } from '@holdfast/db/balances';
import { connectWorker } from '@holdfast/queues/connection';
import { adjustQueue } from '@holdfast/queues/definitions';
import { startWorker } from '@holdfast/queues/worker';
import type { TestGateway } from './testGateway.ts';

/** A ledger service for top-ups and corrections only. */
export function startAdjuster({ context: { db, log }, servers }: TestGateway) {
  const redis = connectWorker(servers.redisUrl, log);
  const process = adjustBalance.bind(null, db);
  const worker = startWorker({ queue: adjustQueue, redis, concurrency: 8, log, process });
  return {
    async stop() {
      await worker.stop();
      redis.disconnect();
    },
  };
}
