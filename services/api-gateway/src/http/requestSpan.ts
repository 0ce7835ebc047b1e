import type { Span, Tracing } from '@holdfast/kit/tracing/tracing';
import { executionAttributes } from '@holdfast/kit/tracing/tracing';
import type { RequestState } from './requestState.ts';
import { type Match, routeName } from './routes.ts';

/**
 * The span of a request, within the trace that its client `given` with it. No path: one has the token of a callback in
 * it. No query, no header, no body.
 */
export function beginSpan(
  tracing: Tracing,
  request: { method: string; match: Match; requestId: string; given: string | null },
): Span {
  const { method, match, requestId, given } = request;
  const route = routeName(match);
  return tracing.begin({
    name: route === null ? method : `${method} ${route}`,
    kind: 'server',
    parent: given,
    attributes: {
      'http.request.method': method === 'other' ? '_OTHER' : method,
      'http.route': route,
      'holdfast.request_id': requestId,
    },
  });
}

/** What a client did wrong is no failure of ours. */
export function endSpan(span: Span, status: number, { caller, executionId, model }: RequestState): void {
  const its = { executionId, organizationId: caller?.organizationId, model };
  span.set({ 'http.response.status_code': status, ...executionAttributes(its) });
  if (status >= 500) span.fail(String(status));
  span.end();
}
