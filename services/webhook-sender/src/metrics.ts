import { asyncGauge, counter, histogram, liveGauge, type Registry } from '@holdfast/kit/metrics';
import type { Lanes } from './lanes.ts';

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

export function laneGauges(registry: Registry, lanes: Lanes): void {
  const of = (name: string, help: string, read: () => number) => liveGauge(registry, name, help, read);
  of('webhook_lanes', 'Lanes with an open request or a pending delivery here', () => lanes.limits().length);
  const slots = 'Slots of deliveries claimed and not yet recorded: one each, and more for large bodies';
  of('webhook_slots_taken', slots, lanes.slotsTaken);
  of('webhook_claimed_ahead', 'Deliveries claimed here that have not started', lanes.claimedAhead);
  const about = {
    name: 'webhook_lane_limit',
    help: 'Requests that lanes here may have open: the lowest, the median and the highest of their limits',
    label: 'of_lanes',
  };
  asyncGauge(registry, about, async () => {
    const sorted = lanes.limits().sort((one, other) => one - other);
    const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
    return { lowest: at(0), median: at(0.5), highest: at(1) };
  });
}
