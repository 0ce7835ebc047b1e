import { counter, histogram, type Registry } from '@holdfast/kit/metrics';

export type WebhookMetrics = ReturnType<typeof webhookMetrics>;

export function webhookMetrics(registry: Registry) {
  return {
    fannedOut: counter(registry, 'webhook_deliveries_created_total', 'Deliveries created at fan-out'),
    /** `delivered`, `failed`, `expired`: the delivery has ended; `pending`: another attempt will follow. */
    outcomes: counter(
      registry,
      'webhook_deliveries_total',
      'Webhook attempts by the state of the delivery after them',
      ['outcome'],
    ),
    attemptSeconds: histogram(registry, 'webhook_attempt_seconds', 'Duration of webhook attempts', [
      'result',
    ]),
    deliverySeconds: histogram(
      registry,
      'webhook_delivery_seconds',
      'From an event to its delivery, retries included',
      [],
      [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200, 28_800, 86_400],
    ),
  };
}
