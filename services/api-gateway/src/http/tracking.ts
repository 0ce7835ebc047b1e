import { newId } from '@holdfast/domain/ids';
import { canonicalAddress } from '@holdfast/egress/addresses';
import { executionAttributes, readTraceparent, type Span, type Tracing } from '@holdfast/kit/tracing/tracing';
import type { Request, RequestHandler } from 'express';
import type { Context } from '../context.ts';
import { openState, type RequestState, stateOf } from './requestState.ts';
import { type Match, type Routes, routeName } from './routes.ts';

/** In logs and metrics alone: the client went away before its answer was sent. */
const clientClosed = 499;

/** Gives every request its id and its route, and reports it once it is over: no body, no query, no key. */
export function identify(context: Context, routes: Routes): RequestHandler {
  return (request, response, next) => {
    const requestId = newId('req');
    const match = routes.find(request.method, request.path);
    const given = readTraceparent(request.headers['traceparent']);
    const span =
      context.tracing &&
      beginSpan(context.tracing, { method: known(request.method), match, requestId, given });
    openState(response, {
      requestId,
      startedAt: performance.now(),
      match,
      caller: null,
      findCaller: null,
      operator: null,
      address: addressOf(request),
      refusal: null,
      executionId: match.kind === 'endpoint' ? executionIn(match.params) : null,
      model: null,
      span,
      traceparent: span?.traceparent ?? given,
    });
    response.setHeader('X-Request-Id', requestId);
    response.once('close', () => {
      const status = response.writableFinished ? response.statusCode : clientClosed;
      report(context, request.method, status, stateOf(response));
    });
    next();
  };
}

/** What a proxy says is believed as far as TRUST_PROXY goes, and only if it is an address. */
function addressOf({ ip = '', socket }: Request): string {
  const remote = socket.remoteAddress ?? '';
  return canonicalAddress(ip) ?? canonicalAddress(remote) ?? remote;
}

function report({ log, metrics }: Context, method: string, status: number, state: RequestState): void {
  const durationS = (performance.now() - state.startedAt) / 1000;
  const route = routeName(state.match) ?? 'unknown';
  metrics.requests.observe({ method: known(method), route, status: String(status) }, durationS);
  log.info(
    {
      requestId: state.requestId,
      method,
      route,
      status,
      durationMs: Math.round(durationS * 1000),
      organizationId: state.caller?.organizationId,
      executionId: state.executionId ?? undefined,
      traceId: state.span?.traceId,
      ...operatorOf(state),
    },
    'request',
  );
  if (state.span) endSpan(state.span, status, state);
}

/** Who asked the admin API, and from where: reads, and requests without a valid token, stand in no other place. */
function operatorOf({ match, operator, address }: RequestState) {
  const isAdmin = match.kind === 'endpoint' && match.endpoint.access === 'operator';
  return isAdmin ? { operator, address } : {};
}

/** Methods are free text: what nobody serves shares one label. */
function known(method: string): string {
  return ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].includes(method) ? method : 'other';
}

function executionIn(params: Record<string, string>): string | null {
  return params.id?.startsWith('exec_') ? params.id.slice(0, 64) : null;
}

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
