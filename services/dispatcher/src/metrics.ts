import { counter, type Registry } from '@holdfast/kit/metrics';

export type DispatcherMetrics = ReturnType<typeof dispatcherMetrics>;

export function dispatcherMetrics(registry: Registry) {
  return {
    runs: counter(registry, 'runs_total', 'Runs that ended, by connection and state', [
      'connection',
      'state',
    ]),
  };
}
