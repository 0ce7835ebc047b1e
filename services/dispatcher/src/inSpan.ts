import type { NewSpan } from '@holdfast/kit/tracing/tracing';
import { executionAttributes } from '@holdfast/kit/tracing/tracing';
import type { Context } from './context.ts';

/** Whose work it is. */
export type Traced = {
  id: string;
  organizationId: string;
  model: string;
  connection: string;
  traceparent: string | null;
  attemptId?: string;
};

/**
 * Works on a run within a span: of what is being done already, or else of its execution's trace. What `work` is given to
 * work with calls and logs as part of it. Without tracing it is the context itself.
 */
export async function inSpan<Result>(
  context: Context,
  span: Pick<NewSpan, 'name' | 'kind' | 'begunAtMs'>,
  run: Traced,
  work: (context: Context) => Promise<Result>,
): Promise<Result> {
  const { tracing } = context;
  if (tracing === null) return await work(context);
  const begun = tracing.begin({
    ...span,
    parent: context.span?.traceparent ?? run.traceparent,
    attributes: {
      ...executionAttributes({ ...run, executionId: run.id }),
      'holdfast.attempt_id': run.attemptId,
      'holdfast.connection': run.connection,
    },
  });
  try {
    return await work({ ...context, span: begun, log: context.log.child({ traceId: begun.traceId }) });
  } catch (error) {
    begun.fail(error instanceof Error ? error.name : 'unknown');
    throw error;
  } finally {
    begun.end();
  }
}
