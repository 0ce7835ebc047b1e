import { createRegistry } from '@holdfast/kit/metrics';
import type { Progress, Provider, Submission } from '@holdfast/providers/interface';
import { describe, expect, it } from '@jest/globals';
import { dispatcherMetrics, measured } from './metrics.ts';

const submission = {} as Submission;

/** The metrics after a submit with this result. */
async function afterSubmit(progress: Progress, signal = new AbortController().signal): Promise<string> {
  const registry = createRegistry('test');
  const provider = { name: 'test', submit: async () => progress } as unknown as Provider;
  const found = measured(dispatcherMetrics(registry, ['replicate', 'fal']))(provider, 'replicate');
  expect(await found.submit(submission, signal)).toBe(progress);
  return await registry.metrics();
}

const refused = {
  state: 'refused',
  retryAfterMs: null,
  outcome: { ok: false, code: 'SERVICE_UNAVAILABLE', message: 'no' },
  alert: 'the key is refused',
} as const;

describe('calls to providers', () => {
  it('are timed by connection, call and outcome', async () => {
    const handle = { externalId: '1' };
    const text = await afterSubmit({ state: 'running', handle, by: 'poll', pollAfterMs: 1 });
    expect(text).toMatch(
      /^holdfast_provider_call_seconds_count\{.*connection="replicate",call="submit",outcome="running".*\} 1$/m,
    );
    expect(text).not.toMatch(/^holdfast_provider_errors_total\{/m);
  });

  it('are counted by the code of their failure, and alerts by connection', async () => {
    const text = await afterSubmit(refused);
    expect(text).toMatch(
      /^holdfast_provider_errors_total\{.*connection="replicate",code="SERVICE_UNAVAILABLE".*\} 1$/m,
    );
    expect(text).toMatch(/^holdfast_provider_alerts_total\{.*connection="replicate".*\} 1$/m);
    expect(text).toMatch(/^holdfast_provider_alerts_total\{.*connection="fal".*\} 0$/m);
  });

  it('to a busy provider have an outcome of their own', async () => {
    const outcome = { ok: false, code: 'MODEL_OVERLOADED', message: 'busy' } as const;
    const text = await afterSubmit({ state: 'refused', retryAfterMs: 1, outcome, isBusy: true });
    expect(text).toMatch(/^holdfast_provider_call_seconds_count\{.*call="submit",outcome="busy".*\} 1$/m);
  });

  it('do not count when they were aborted', async () => {
    const text = await afterSubmit(refused, AbortSignal.abort());
    expect(text).not.toMatch(/^holdfast_provider_(call_seconds_count|errors_total)\{/m);
  });
});
