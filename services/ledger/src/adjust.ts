import { adjustBalance } from '@holdfast/db/balances';
import type { Database } from '@holdfast/db/client';
import type { Logger } from '@holdfast/kit/logger';
import type { Redis } from '@holdfast/queues/connection';
import { type AdjustResult, adjustQueue } from '@holdfast/queues/definitions';
import type { JobMetrics } from '@holdfast/queues/worker';
import { type QueueWorker, startWorker } from '@holdfast/queues/worker';

/** Writes the top-ups and corrections that gateways request, because their database role cannot. */
export function startAdjustments(args: {
  db: Database;
  redis: Redis;
  jobs: JobMetrics;
  log: Logger;
}): QueueWorker {
  const { db, redis, jobs, log } = args;
  return startWorker({
    queue: adjustQueue,
    redis,
    concurrency: 8,
    log,
    metrics: jobs,
    async process({ requestId, ...asked }): Promise<AdjustResult> {
      const result = await adjustBalance(db, asked);
      const { organizationId, kind, amount } = asked;
      log.info({ requestId, organizationId, kind, amount, outcome: result.outcome }, 'adjustment processed');
      return result;
    },
  });
}
