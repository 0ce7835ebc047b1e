import express, { type Express, type Request, type Response } from 'express';
import type { Authenticate } from '../access/callers.ts';
import { openIdentity } from '../access/identity.ts';
import type { Context } from '../context/context.ts';
import type { Endpoint } from '../context/endpoint.ts';
import { respondError } from '../http/errors.ts';
import type { Face } from '../http/face.ts';
import { stateOf } from '../http/requestState.ts';
import { createRoutes } from '../http/routes.ts';
import { allowOrigins, respondPreflight } from './cors.ts';
import { endpointHandler } from './handler.ts';
import type { LimitRate } from './rateLimit.ts';
import { setSecurityHeaders } from './securityHeaders.ts';
import { trackRequests } from './tracking.ts';
import { whenRoom } from './waitForRoom.ts';

/** An application with these endpoints. Every request is tracked, authenticated and counted before its body is read. */
export function createPipeline(args: {
  context: Context;
  endpoints: readonly Endpoint[];
  authenticate: Authenticate;
  limitRate: LimitRate;
  /** Takes the path of a portal session off a request to the API, and returns the session's id. */
  enter?: (request: Request) => string | null;
  origins?: readonly string[];
  faces?: readonly Face[];
  /** Mounts further routes, behind the rate limit. */
  mount?: (app: Express) => void;
}): Express {
  const { context, endpoints, authenticate, limitRate, origins = [], faces = [] } = args;
  const track = trackRequests(context, createRoutes(endpoints), faces);
  const allow = allowOrigins(origins, endpoints);
  const handle = endpointHandler(context);
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('trust proxy', context.config.TRUST_PROXY);

  /** Returns whether a mounted route, if any, has to respond. */
  async function serve(request: Request, response: Response): Promise<boolean> {
    for (const face of faces) face.enter?.(request, context.config.FAL_HOSTS);
    const portalSessionId = args.enter?.(request) ?? null;
    track(request, response);
    openIdentity(response, portalSessionId);
    const { match, face } = stateOf(response);
    const isPage = match.kind === 'unknown' && face === null;
    setSecurityHeaders(request, response, isPage);
    // Cookies count there: no page of another origin may read it.
    if (portalSessionId === null) allow(request, response);
    await authenticate(request, response);
    try {
      await whenRoom(context, { request, response }, 'rate', () => limitRate(request, response));
    } finally {
      face?.setHeaders(response);
    }
    if (respondPreflight(request, response)) return false;
    if (isPage) return true;
    await handle(request, response);
    return false;
  }

  // One layer, because each that Express walks costs every request (ADR 0060).
  app.use(async (request, response, next) => {
    if (await serve(request, response)) next();
  });
  args.mount?.(app);
  app.use(handle);
  app.use(respondError(context));
  return app;
}
