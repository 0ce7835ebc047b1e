import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import type { Context } from '../context.ts';
import { allowOrigins, answerPreflight } from './cors.ts';
import type { Endpoint } from './endpoint.ts';
import { respondError } from './errors.ts';
import { runEndpoint } from './handler.ts';
import { createRoutes } from './routes.ts';
import { identify } from './tracking.ts';

/** An application of these endpoints: every request is identified, authenticated and counted before it is read. */
export function createPipeline(args: {
  context: Context;
  endpoints: readonly Endpoint[];
  authenticate: RequestHandler;
  limitRate: RequestHandler;
  /** Whose pages may read the answers. */
  origins?: readonly string[];
  /** What answers beside the endpoints, after the rate limit. */
  mount?: (app: Express) => void;
}): Express {
  const { context } = args;
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('trust proxy', context.config.TRUST_PROXY);
  app.use(identify(context, createRoutes(args.endpoints)));
  // Without TLS of its own the gateway can't ask browsers to upgrade the links of /docs.
  app.use(helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } }));
  app.use(allowOrigins(args.origins ?? []));
  app.use(args.authenticate);
  app.use(args.limitRate);
  app.use(answerPreflight);
  args.mount?.(app);
  app.use(runEndpoint(context));
  app.use(respondError(context));
  return app;
}
