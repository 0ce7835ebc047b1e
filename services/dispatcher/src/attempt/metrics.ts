import { counter, gauge, histogram, type Registry } from '@holdfast/kit/metrics';
import type { Progress, Provider } from '@holdfast/providers/interface';

export type DispatcherMetrics = ReturnType<typeof dispatcherMetrics>;

export function dispatcherMetrics(registry: Registry, connections: string[] = []) {
  const providerAlerts = counter(
    registry,
    'provider_alerts_total',
    'Responses that need the operator: a refused key, a wrong URL',
    ['connection'],
  );
  // Prometheus sees no increase in a counter that starts with 1.
  for (const connection of connections) providerAlerts.inc({ connection }, 0);
  return {
    breakers: gauge(registry, 'provider_circuit_open', 'Whether the breaker of a connection is open', [
      'connection',
    ]),
    capacity: gauge(
      registry,
      'provider_capacity',
      'Runs that a provider takes of a model at once, learned from its busy refusals; none before the first',
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
    /** `outcome`: the state of the Progress; `busy` for a busy refusal, `succeeded` or `failed` for an end. */
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
      'Failures that providers returned, by our code',
      ['connection', 'code'],
    ),
    providerAlerts,
    missingUsage: counter(
      registry,
      'missing_usage_total',
      'Priced quantities that a run neither reported nor showed: charged as estimated, or as the model says',
      ['connection', 'model', 'quantity'],
    ),
    /** `to`: the same provider (`same`) or the model's next one (`next`). */
    retries: counter(registry, 'run_retries_total', 'Runs that were refused and are retried', [
      'connection',
      'to',
    ]),
  };
}

/** In seconds; some providers respond with the result itself, minutes later. */
const callBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

export function measured(
  metrics: Pick<DispatcherMetrics, 'providerCalls' | 'providerErrors' | 'providerAlerts'>,
): (provider: Provider, connection: string) => Provider {
  return (provider, connection) => {
    async function timed(
      call: string,
      signal: AbortSignal,
      work: () => Promise<Progress>,
    ): Promise<Progress> {
      const startMs = performance.now();
      const progress = await work();
      // A call that was aborted says nothing about its provider.
      if (signal.aborted) return progress;
      const outcome = outcomeLabel(progress);
      metrics.providerCalls.observe({ connection, call, outcome }, (performance.now() - startMs) / 1000);
      if ('outcome' in progress && !progress.outcome.ok)
        metrics.providerErrors.inc({ connection, code: progress.outcome.code });
      if ('alert' in progress && progress.alert) metrics.providerAlerts.inc({ connection });
      return progress;
    }
    return {
      ...provider,
      submit: (submission, signal) => timed('submit', signal, () => provider.submit(submission, signal)),
      poll: (submission, handle, signal) =>
        timed('poll', signal, () => provider.poll(submission, handle, signal)),
      recover: (submission, signal) => timed('recover', signal, () => provider.recover(submission, signal)),
      async readCallback(callback, run) {
        const reading = await provider.readCallback(callback, run);
        if (reading !== null && typeof reading === 'object' && reading.alert)
          metrics.providerAlerts.inc({ connection });
        return reading;
      },
    };
  };
}

function outcomeLabel(progress: Progress): string {
  if (progress.state === 'refused' && progress.isBusy) return 'busy';
  if (progress.state !== 'ended') return progress.state;
  return progress.outcome.ok ? 'succeeded' : 'failed';
}
