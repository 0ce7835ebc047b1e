import type { EndedExecution } from '@holdfast/db/executions/endings';
import type { ExecutionStatus } from '@holdfast/domain/statuses';
import type { OnEnded } from '@holdfast/executions/hints';
import type { Logger } from '@holdfast/kit/logger';
import type { NewSpan, Tracing } from '@holdfast/kit/tracing/tracing';
import { executionAttributes } from '@holdfast/kit/tracing/tracing';
import type { LedgerMetrics } from './metrics.ts';

export type Report = (status: Ending) => OnEnded;

type Ending = Extract<ExecutionStatus, 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'EXPIRED'>;

/** Span names by the hold's end. Expired executions, and those of a cancelled batch, come from a sweep, not a queue. */
const spans = {
  COMPLETED: { name: 'settle', kind: 'consumer' },
  FAILED: { name: 'release', kind: 'consumer' },
  CANCELLED: { name: 'cancel', kind: 'internal' },
  EXPIRED: { name: 'expire', kind: 'internal' },
} as const satisfies Record<Ending, Pick<NewSpan, 'name' | 'kind'>>;

export function createReport(args: {
  metrics: LedgerMetrics;
  /** Null: tracing is off. */
  tracing: Tracing | null;
  log: Logger;
}): Report {
  const { metrics, tracing, log } = args;
  return (status) => (done, startedAtMs) => {
    metrics.endings.inc({ status }, done.length);
    for (const ended of done) {
      const { executionId, organizationId, model, eventId, writeOff } = ended;
      const traceId = tracing ? trace(tracing, ended, status, startedAtMs) : undefined;
      if (writeOff) metrics.writtenOff.inc({ reason: writeOff.reason }, Number(writeOff.amount));
      const written = writeOff && { writtenOff: writeOff.amount, reason: writeOff.reason };
      log.info(
        { executionId, organizationId, model, eventId, status, traceId, ...written },
        'execution ended',
      );
    }
  };
}

/** One span per execution, though one statement ended many. Returns the trace id. */
function trace(tracing: Tracing, ended: EndedExecution, status: Ending, startedAtMs: number): string {
  const attributes = { ...executionAttributes(ended), 'holdfast.status': status };
  const span = tracing.start({ ...spans[status], parent: ended.traceparent, attributes, startedAtMs });
  span.end();
  return span.traceId;
}
