import type { Database } from '@holdfast/db/client';
import { claimLanes, type LaneClaim, type LaneRoom } from '@holdfast/db/webhooks/lanes';
import { createBatcher } from '@holdfast/kit/batcher';
import type { Logger } from '@holdfast/kit/logger';
import { leaseS } from './deliver.ts';
import type { WebhookMetrics } from './metrics.ts';

/** Claims what is due of lanes, many lanes at a time; null when nothing is. */
export function createClaims(args: {
  db: Database;
  maxAttempts: number;
  senders(): number;
  metrics: WebhookMetrics;
  log: Logger;
}): (lane: LaneRoom) => Promise<LaneClaim | null> {
  const { db, maxAttempts, senders, metrics, log } = args;
  const batcher = createBatcher<LaneRoom, LaneClaim | null>({
    maxSize: 200,
    concurrency: 2,
    async run(lanes) {
      const claims = await claimLanes(db, lanes, { leaseS, maxAttempts, senders: senders() }).catch(
        (error: unknown) => {
          log.error({ err: error, lanes: lanes.length }, 'nothing could be claimed; a sweep finds it again');
          throw error;
        },
      );
      for (const { ended } of claims.values()) {
        for (const { state } of ended) metrics.outcomes.inc({ outcome: state });
      }
      return lanes.map(({ lane }) => claims.get(lane) ?? null);
    },
  });
  return batcher.add;
}
