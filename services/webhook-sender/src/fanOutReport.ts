import type { Event } from '@holdfast/domain/events';
import type { Logger } from '@holdfast/kit/logger';
import { executionAttributes, type Tracing } from '@holdfast/kit/tracing/tracing';

export type FannedOutEvent = {
  event: Pick<Event, 'id' | 'type' | 'organizationId' | 'executionId'>;
  model: string | null;
  traceparent: string | null;
};

/** Counts, logs and traces an event whose deliveries were written, here or with the event. */
export function createFanOutReport(args: {
  tracing: Tracing | null;
  log: Logger;
  onWritten(deliveries: number): void;
}): (fannedOut: FannedOutEvent, deliveries: number, startedAtMs: number) => void {
  const { tracing, log, onWritten } = args;
  return (fannedOut, deliveries, startedAtMs) => {
    if (deliveries === 0) return;
    onWritten(deliveries);
    const { id: eventId, executionId, organizationId, type } = fannedOut.event;
    const traceId = tracing ? trace(tracing, fannedOut, deliveries, startedAtMs) : undefined;
    log.info({ executionId, organizationId, eventId, type, deliveries, traceId }, 'event fanned out');
  };
}

function trace(
  tracing: Tracing,
  { event, model, traceparent }: FannedOutEvent,
  deliveries: number,
  startedAtMs: number,
): string {
  const span = tracing.start({
    name: 'fan out',
    kind: 'consumer',
    parent: traceparent,
    startedAtMs,
    attributes: {
      ...executionAttributes({ ...event, model }),
      'holdfast.event_id': event.id,
      'holdfast.event_type': event.type,
      'holdfast.deliveries': deliveries,
    },
  });
  span.end();
  return span.traceId;
}
