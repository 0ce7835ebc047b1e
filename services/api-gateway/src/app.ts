import type { Express } from 'express';
import type { Context } from './context.ts';
import type { Endpoint } from './http/endpoint.ts';
import { authenticate } from './http/authenticate.ts';
import { openKeyCache } from './http/keyCache.ts';
import { createPipeline } from './http/pipeline.ts';
import { mountStorage } from './files/mountStorage.ts';

/** Every endpoint of the API, in the order of the reference. */
export const endpoints: readonly Endpoint[] = [];

export function createApp(context: Context): Express {
  return createPipeline({
    context,
    endpoints,
    authenticate: authenticate(openKeyCache(context.db)),
    mount: (app) => mountStorage(app, context),
  });
}
