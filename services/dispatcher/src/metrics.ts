import { counter, gauge, type Registry } from '@holdfast/kit/metrics';

export type DispatcherMetrics = ReturnType<typeof dispatcherMetrics>;

export function dispatcherMetrics(registry: Registry) {
  return {
    breakers: gauge(registry, 'provider_left_alone', 'Whether the breaker of a connection is open', [
      'connection',
    ]),
    runs: counter(registry, 'runs_total', 'Runs that ended, by connection and state', [
      'connection',
      'state',
    ]),
  };
}
