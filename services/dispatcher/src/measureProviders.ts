import type { Progress, Provider } from '@holdfast/providers/interface';
import type { DispatcherMetrics } from './metrics.ts';

type Measures = Pick<DispatcherMetrics, 'providerCalls' | 'providerErrors' | 'providerAlerts'>;

/** Makes of a provider the same with a measure of every call that asks how a run goes, and of alerts in callbacks. */
export function measured(metrics: Measures): (provider: Provider, connection: string) => Provider {
  return (provider, connection) => measure(provider, connection, metrics);
}

function measure(provider: Provider, connection: string, metrics: Measures): Provider {
  async function timed(call: string, signal: AbortSignal, work: () => Promise<Progress>): Promise<Progress> {
    const begunMs = performance.now();
    const progress = await work();
    // One that was cut off says nothing of its provider.
    if (signal.aborted) return progress;
    const outcome = outcomeOf(progress);
    metrics.providerCalls.observe({ connection, call, outcome }, (performance.now() - begunMs) / 1000);
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
}

function outcomeOf(progress: Progress): string {
  if (progress.state === 'refused' && progress.isBusy) return 'busy';
  if (progress.state !== 'ended') return progress.state;
  return progress.outcome.ok ? 'succeeded' : 'failed';
}
