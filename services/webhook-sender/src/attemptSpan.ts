import type { ClaimedDelivery } from '@holdfast/db/webhooks/lanes';
import type { Span, Tracing } from '@holdfast/kit/tracing/tracing';
import { executionAttributes } from '@holdfast/kit/tracing/tracing';
import type { Result, Verdict } from './verdict.ts';

/** The span of an attempt. Of the URL its host alone: the rest may hold a credential. */
export function beginAttempt(tracing: Tracing, delivery: ClaimedDelivery): Span {
  const { id, url, eventId, eventType, endpointId, attempts, isProbe, traceparent } = delivery;
  return tracing.begin({
    name: 'deliver webhook',
    kind: 'client',
    parent: traceparent,
    attributes: {
      ...executionAttributes(delivery),
      'http.request.method': 'POST',
      'server.address': URL.parse(url)?.hostname,
      'holdfast.delivery_id': id,
      'holdfast.attempt': attempts,
      'holdfast.is_probe': isProbe,
      'holdfast.event_id': eventId,
      'holdfast.event_type': eventType,
      'holdfast.endpoint_id': endpointId,
    },
  });
}

export function endAttempt(span: Span, result: Result, { ok, stage }: Verdict): void {
  if (result.ok) span.set({ 'http.response.status_code': result.status });
  if (!ok) span.fail(result.ok ? String(result.status) : (stage ?? 'unknown'));
  span.end();
}
