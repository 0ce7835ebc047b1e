import type { Span } from '@holdfast/kit/tracing/tracing';
import type { Progress, Provider } from '@holdfast/providers/interface';
import type { Context } from './context.ts';
import { inSpan, type Traced } from './inSpan.ts';

/**
 * Makes of a provider the same with a span for every call. The provider itself is told nothing: whose client asks is not
 * for it to know.
 */
export function traced(provider: Provider, context: Context, run: Traced): Provider {
  const spanned = <Answer>(call: string, work: (span: Span | null) => Promise<Answer>) =>
    inSpan(context, { name: `${call} ${run.connection}`, kind: 'client' }, run, ({ span }) => work(span));

  const asked = (call: string, work: () => Promise<Progress>) =>
    spanned(call, async (span) => {
      const progress = await work();
      span?.set({ 'holdfast.state': progress.state });
      if ('outcome' in progress && !progress.outcome.ok) span?.fail(progress.outcome.code);
      return progress;
    });

  return {
    ...provider,
    submit: (submission, signal) => asked('submit', () => provider.submit(submission, signal)),
    poll: (submission, handle, signal) => asked('poll', () => provider.poll(submission, handle, signal)),
    recover: (submission, signal) => asked('recover', () => provider.recover(submission, signal)),
    cancel: (handle, signal) => spanned('cancel', () => provider.cancel(handle, signal)),
  };
}
