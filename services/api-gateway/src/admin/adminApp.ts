import type { Express } from 'express';
import type { Context } from '../context.ts';
import { authenticateOperator } from '../http/authenticateOperator.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { createPipeline } from '../http/pipeline.ts';
import { getAnyExecution } from './endpoints/getAnyExecution.ts';
import { getOrganization } from './endpoints/getOrganization.ts';
import { listAllModels } from './endpoints/listAllModels.ts';
import { listOrganizationKeys } from './endpoints/listOrganizationKeys.ts';
import { listOrganizations } from './endpoints/listOrganizations.ts';
import { postOrganization } from './endpoints/postOrganization.ts';
import { postOrganizationKey } from './endpoints/postOrganizationKey.ts';
import { postTopUp } from './endpoints/postTopUp.ts';

/** The operator's API, on a port of its own. */
export const adminEndpoints: readonly Endpoint[] = [
  postOrganization,
  listOrganizations,
  getOrganization,
  postTopUp,
  postOrganizationKey,
  listOrganizationKeys,
  listAllModels,
  getAnyExecution,
];

export function createAdminApp(context: Context): Express {
  return createPipeline({
    context,
    endpoints: adminEndpoints,
    authenticate: authenticateOperator(context.config.ADMIN_TOKEN),
  });
}
