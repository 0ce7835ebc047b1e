import { counter, gauge, histogram, type Registry } from '@holdfast/kit/metrics';

export function createMetrics(registry: Registry) {
  return {
    requests: histogram(registry, 'http_request_seconds', 'Requests answered', ['method', 'route', 'status']),
    redisUp: gauge(
      registry,
      'redis_up',
      '1 while Redis can be reached; without it hints and rate limits are missing',
    ),
    unlimited: counter(registry, 'rate_limit_skipped_total', 'Requests let through because Redis is away'),
  };
}
