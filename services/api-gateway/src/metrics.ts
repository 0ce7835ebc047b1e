import { counter, histogram, type Registry } from '@holdfast/kit/metrics';

export function createMetrics(registry: Registry) {
  return {
    requests: histogram(registry, 'http_request_seconds', 'Requests answered', ['method', 'route', 'status']),
    unlimited: counter(registry, 'rate_limit_skipped_total', 'Requests let through because Redis is away'),
  };
}
