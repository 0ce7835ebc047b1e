import { counter, gauge, histogram, type Registry } from '@holdfast/kit/metrics';

export type DispatcherMetrics = ReturnType<typeof dispatcherMetrics>;

export function dispatcherMetrics(registry: Registry, connections: string[] = []) {
  const providerAlerts = counter(
    registry,
    'provider_alerts_total',
    'Answers that only the operator can do something about: a refused key, a wrong URL',
    ['connection'],
  );
  // Prometheus sees no rise in what begins with 1.
  for (const connection of connections) providerAlerts.inc({ connection }, 0);
  return {
    breakers: gauge(registry, 'provider_left_alone', 'Whether the breaker of a connection is open', [
      'connection',
    ]),
    capacity: gauge(
      registry,
      'provider_capacity',
      "Runs at once that a provider's model has room for, as its refusals have taught; none until it was busy",
      ['connection', 'model'],
    ),
    busyRefusals: counter(
      registry,
      'provider_busy_total',
      'Runs that a provider refused because it was busy; they wait for capacity',
      ['connection'],
    ),
    runs: counter(registry, 'runs_total', 'Runs that ended, by connection and state', [
      'connection',
      'state',
    ]),
    /** `outcome`: what came of the call (`Progress`); `busy` for want of capacity, an end told apart by whether it is a success. */
    providerCalls: histogram(
      registry,
      'provider_call_seconds',
      'Calls to providers: submit, poll and recover',
      ['connection', 'call', 'outcome'],
      callBuckets,
    ),
    providerErrors: counter(
      registry,
      'provider_errors_total',
      'Failures that providers answered, by our code',
      ['connection', 'code'],
    ),
    providerAlerts,
    /** `to`: `same` after a pause, or the model's next provider (`next`). */
    retries: counter(registry, 'run_retries_total', 'Runs that were refused and are tried again', [
      'connection',
      'to',
    ]),
  };
}

/** Seconds: some providers answer with the result itself, minutes later. */
const callBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
