import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import type { Context } from '../context.ts';
import { allowOrigins, respondPreflight } from './cors.ts';
import type { Endpoint } from './endpoint.ts';
import { respondError } from './errors.ts';
import { endpointHandler } from './handler.ts';
import { createRoutes } from './routes.ts';
import { trackRequests } from './tracking.ts';

/** An application with these endpoints. Every request is tracked, authenticated and counted before its body is read. */
export function createPipeline(args: {
  context: Context;
  endpoints: readonly Endpoint[];
  authenticate: RequestHandler;
  limitRate: RequestHandler;
  /** Origins that browsers may call from. */
  origins?: readonly string[];
  /** Mounts further routes, behind the rate limit. */
  mount?: (app: Express) => void;
}): Express {
  const { context } = args;
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('trust proxy', context.config.TRUST_PROXY);
  app.use(trackRequests(context, createRoutes(args.endpoints)));
  // The gateway has no TLS of its own, so browsers must not upgrade the links of /docs.
  app.use(helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } }));
  app.use(allowOrigins(args.origins ?? [], args.endpoints));
  app.use(args.authenticate);
  app.use(args.limitRate);
  app.use(respondPreflight);
  args.mount?.(app);
  app.use(endpointHandler(context));
  app.use(respondError(context));
  return app;
}
