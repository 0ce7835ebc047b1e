import type { Logger } from '@holdfast/kit/logger';
import { executionAttributes, type NewSpan, type Span, type Tracing } from '@holdfast/kit/tracing/tracing';
import type { Progress, Provider } from '@holdfast/providers/interface';

/** The log's lines carry the id of the span's trace. */
export type Trace = {
  /** Null when tracing is off. */
  tracing: Tracing | null;
  span: Span | null;
  log: Logger;
};

export type TracedAttempt = {
  executionId: string;
  organizationId: string;
  model: string;
  connection: string;
  traceparent: string | null;
  attemptId?: string;
};

/** The span is a child of the current one, or else of the execution's trace. */
export async function inSpan<Result>(
  trace: Trace,
  span: Pick<NewSpan, 'name' | 'kind' | 'startedAtMs'>,
  attempt: TracedAttempt,
  work: (trace: Trace) => Promise<Result>,
): Promise<Result> {
  const { tracing, log } = trace;
  if (tracing === null) return await work(trace);
  const started = tracing.start({
    ...span,
    parent: trace.span?.traceparent ?? attempt.traceparent,
    attributes: {
      ...executionAttributes(attempt),
      'holdfast.attempt_id': attempt.attemptId,
      'holdfast.connection': attempt.connection,
    },
  });
  try {
    return await work({ tracing, span: started, log: log.child({ traceId: started.traceId }) });
  } catch (error) {
    started.fail(error instanceof Error ? error.name : 'unknown');
    throw error;
  } finally {
    started.end();
  }
}

/** A span for each call. Providers never receive the trace: it is the client's. */
export function tracedProvider(provider: Provider, trace: Trace, attempt: TracedAttempt): Provider {
  const traced = <Result>(call: string, work: (span: Span | null) => Promise<Result>) =>
    inSpan(trace, { name: `${call} ${attempt.connection}`, kind: 'client' }, attempt, ({ span }) =>
      work(span),
    );

  const tracedProgress = (call: string, work: () => Promise<Progress>) =>
    traced(call, async (span) => {
      const progress = await work();
      span?.set({ 'holdfast.state': progress.state });
      if ('outcome' in progress && !progress.outcome.ok) span?.fail(progress.outcome.code);
      return progress;
    });

  return {
    ...provider,
    submit: (submission, signal) => tracedProgress('submit', () => provider.submit(submission, signal)),
    poll: (submission, handle, signal) =>
      tracedProgress('poll', () => provider.poll(submission, handle, signal)),
    recover: (submission, signal) => tracedProgress('recover', () => provider.recover(submission, signal)),
    cancel: (handle, signal) => traced('cancel', () => provider.cancel(handle, signal)),
  };
}
