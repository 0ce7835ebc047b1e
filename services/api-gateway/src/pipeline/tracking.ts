import { newId } from '@holdfast/domain/ids';
import { canonicalAddress } from '@holdfast/egress/addresses';
import { executionAttributes, readTraceparent, type Span, type Tracing } from '@holdfast/kit/tracing/tracing';
import type { Request, Response } from 'express';
import { type Identity, identityOf } from '../access/identity.ts';
import type { Context } from '../context/context.ts';
import type { Face } from '../http/face.ts';
import { openState, type RequestState, stateOf } from '../http/requestState.ts';
import { type Match, type Routes, routeName } from '../http/routes.ts';
import { openPublicUrl } from './publicUrl.ts';

/** The status in logs and metrics when the client disconnected before the response was sent. */
const clientClosedStatus = 499;

/** Gives every request an id, a route and a span, and logs it when it ends: never its body, query or key. */
export function trackRequests(context: Context, routes: Routes, faces: readonly Face[]) {
  const publicUrl = openPublicUrl(context.config);
  return (request: Request, response: Response): void => {
    const requestId = newId('req');
    const match = routes.find(request.method, request.path);
    const parent = readTraceparent(request.headers['traceparent']);
    const span =
      context.tracing &&
      startSpan(context.tracing, { method: methodLabel(request.method), match, requestId, parent });
    openState(response, {
      requestId,
      arrivedAt: new Date(),
      startedAt: performance.now(),
      match,
      address: clientAddress(request),
      publicUrl: publicUrl(request),
      face: faces.find(({ prefix }) => request.path.startsWith(prefix)) ?? null,
      executionId: match.kind === 'endpoint' ? executionIn(match.params) : null,
      model: null,
      span,
      traceparent: span?.traceparent ?? parent,
    });
    response.setHeader('X-Request-Id', requestId);
    response.once('close', () => {
      const status = response.writableFinished ? response.statusCode : clientClosedStatus;
      logRequest(context, request.method, status, response);
    });
  };
}

/** Express trusts X-Forwarded-For as far as TRUST_PROXY allows; a forwarded value that is not an address is ignored. */
function clientAddress({ ip = '', socket }: Request): string {
  const remote = socket.remoteAddress ?? '';
  return canonicalAddress(ip) ?? canonicalAddress(remote) ?? remote;
}

function logRequest({ log, metrics }: Context, method: string, status: number, response: Response): void {
  const state = stateOf(response);
  const identity = identityOf(response);
  const { caller } = identity;
  const durationS = (performance.now() - state.startedAt) / 1000;
  const route = routeName(state.match) ?? 'unknown';
  metrics.requests.observe({ method: methodLabel(method), route, status: String(status) }, durationS);
  log.info(
    {
      requestId: state.requestId,
      method,
      route,
      status,
      durationMs: Math.round(durationS * 1000),
      organizationId: caller?.organizationId,
      executionId: state.executionId ?? undefined,
      ...(caller?.token && { byToken: true }),
      ...(caller?.session && { portalSessionId: caller.session.id }),
      traceId: state.span?.traceId,
      ...operatorFields(state, identity),
    },
    'request',
  );
  if (state.span) endSpan(state.span, status, state, caller?.organizationId);
}

/** The log is the only record of admin reads, and of admin requests and sign-ins without a valid token. */
function operatorFields({ match, address }: RequestState, { operator }: Identity) {
  const isAdmin = match.kind === 'endpoint' && match.endpoint.path.startsWith('/admin/');
  return isAdmin ? { operator: operator?.name ?? null, address } : {};
}

/** Clients can send any method; unknown ones share a label so that metrics stay small. */
function methodLabel(method: string): string {
  return ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].includes(method) ? method : 'other';
}

function executionIn(params: Record<string, string>): string | null {
  return params.id?.startsWith('exec_') ? params.id.slice(0, 64) : null;
}

/** The span of a request. It has the route and not the path, because a callback's path contains a token. */
function startSpan(
  tracing: Tracing,
  request: { method: string; match: Match; requestId: string; parent: string | null },
): Span {
  const { method, match, requestId, parent } = request;
  const route = routeName(match);
  return tracing.start({
    name: route === null ? method : `${method} ${route}`,
    kind: 'server',
    parent,
    attributes: {
      'http.request.method': method === 'other' ? '_OTHER' : method,
      'http.route': route,
      'holdfast.request_id': requestId,
    },
  });
}

/** Only a 5xx marks the span as failed. */
function endSpan(
  span: Span,
  status: number,
  { executionId, model }: RequestState,
  organizationId: string | undefined,
): void {
  const execution = { executionId, organizationId, model };
  span.set({ 'http.response.status_code': status, ...executionAttributes(execution) });
  if (status >= 500) span.fail(String(status));
  span.end();
}
