import type { Express } from 'express';
import type { Context } from '../context.ts';
import { authenticateOperator } from '../http/authenticateOperator.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { createPipeline } from '../http/pipeline.ts';

/** The operator's API, on a port of its own. */
export const adminEndpoints: readonly Endpoint[] = [];

export function createAdminApp(context: Context): Express {
  return createPipeline({
    context,
    endpoints: adminEndpoints,
    authenticate: authenticateOperator(context.config.ADMIN_TOKEN),
  });
}
