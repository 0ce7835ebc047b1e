import type { Progress, Provider } from '@holdfast/providers/interface';
import type { Providers } from '@holdfast/providers/registry';
import type { DispatcherMetrics } from './metrics.ts';

type Measures = Pick<DispatcherMetrics, 'providerCalls' | 'providerErrors' | 'providerAlerts'>;

/** The same providers, with a measure of every call that asks how a run goes. */
export function measureProviders(providers: Providers, metrics: Measures): Providers {
  const measured = new Map<string, { of: Provider; by: Provider }>();
  return {
    ...providers,
    find(wanted) {
      const provider = providers.find(wanted);
      if (provider === null) return null;
      const name = `${wanted.adapter} ${wanted.connection}`;
      const known = measured.get(name);
      if (known?.of === provider) return known.by;
      const by = measure(provider, wanted.connection, metrics);
      measured.set(name, { of: provider, by });
      return by;
    },
  };
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
  };
}

function outcomeOf(progress: Progress): string {
  if (progress.state !== 'ended') return progress.state;
  return progress.outcome.ok ? 'succeeded' : 'failed';
}
