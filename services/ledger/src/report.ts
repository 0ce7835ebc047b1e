import type { Ended } from '@holdfast/db/executions/ending';
import type { ExecutionStatus } from '@holdfast/domain/statuses';
import type { Logger } from '@holdfast/kit/logger';
import type { LedgerMetrics } from './metrics.ts';

/** Tells log and metrics of executions that the ledger has ended. */
export function reportEnded(metrics: LedgerMetrics, log: Logger, status: ExecutionStatus) {
  return (done: Ended[]): void => {
    metrics.endings.inc({ status }, done.length);
    for (const { executionId, organizationId, eventId } of done) {
      log.info({ executionId, organizationId, eventId, status }, 'execution ended');
    }
  };
}
