import type { Span, Tracing } from '@holdfast/kit/tracing/tracing';
import type { Progress, Provider } from '@holdfast/providers/interface';

/**
 * Makes of a provider the same with a span, within that of the work at hand, for every call. The provider itself is told
 * nothing: whose client asks is not for it to know.
 */
export function traced(provider: Provider, connection: string, tracing: Tracing, within: Span): Provider {
  async function spanned<Answer>(
    call: string,
    work: () => Promise<Answer>,
    end: (span: Span, answer: Answer) => void,
  ) {
    const attributes = { 'holdfast.connection': connection, 'holdfast.call': call };
    const name = `${call} ${connection}`;
    const span = tracing.begin({ name, kind: 'client', parent: within.traceparent, attributes });
    try {
      const answer = await work();
      end(span, answer);
      return answer;
    } catch (error) {
      span.fail(error instanceof Error ? error.name : 'unknown');
      throw error;
    } finally {
      span.end();
    }
  }

  const asked = (call: string, work: () => Promise<Progress>) => spanned(call, work, tell);
  return {
    ...provider,
    submit: (submission, signal) => asked('submit', () => provider.submit(submission, signal)),
    poll: (submission, handle, signal) => asked('poll', () => provider.poll(submission, handle, signal)),
    recover: (submission, signal) => asked('recover', () => provider.recover(submission, signal)),
    cancel: (handle, signal) =>
      spanned(
        'cancel',
        () => provider.cancel(handle, signal),
        () => {},
      ),
  };
}

function tell(span: Span, progress: Progress): void {
  span.set({ 'holdfast.state': progress.state });
  if ('outcome' in progress && !progress.outcome.ok) span.fail(progress.outcome.code);
}
