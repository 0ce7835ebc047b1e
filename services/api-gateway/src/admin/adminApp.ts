import { parseAdminTokens } from '@holdfast/domain/adminTokens';
import type { Express } from 'express';
import type { Context } from '../context.ts';
import { deleteApiKey } from '../endpoints/apiKeys/deleteApiKey.ts';
import { postRotate } from '../endpoints/apiKeys/postRotate.ts';
import { getUsageWithWriteOffs } from '../endpoints/balance/getUsage.ts';
import { listEveryTransaction } from '../endpoints/balance/listTransactions.ts';
import { getDelivery } from '../endpoints/webhooks/getDelivery.ts';
import { getEndpoint } from '../endpoints/webhooks/getEndpoint.ts';
import { listDeliveries } from '../endpoints/webhooks/listDeliveries.ts';
import { listEndpoints } from '../endpoints/webhooks/listEndpoints.ts';
import { postRecover } from '../endpoints/webhooks/postRecover.ts';
import { postRedeliver } from '../endpoints/webhooks/postRedeliver.ts';
import { authenticateOperator } from '../http/authenticateOperator.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { createPipeline } from '../http/pipeline.ts';
import { limitOperators } from '../http/rateLimit.ts';
import { cancelAnyExecution } from './endpoints/cancelAnyExecution.ts';
import { deleteKeySpendLimit } from './endpoints/deleteKeySpendLimit.ts';
import { deleteSpendLimit } from './endpoints/deleteSpendLimit.ts';
import { getAnyExecution } from './endpoints/getAnyExecution.ts';
import { getOrganization } from './endpoints/getOrganization.ts';
import { listActions } from './endpoints/listActions.ts';
import { listAllModels } from './endpoints/listAllModels.ts';
import { listAnyExecutions } from './endpoints/listAnyExecutions.ts';
import { listAttempts } from './endpoints/listAttempts.ts';
import { listOrganizationKeys } from './endpoints/listOrganizationKeys.ts';
import { listOrganizations } from './endpoints/listOrganizations.ts';
import { patchOrganization } from './endpoints/patchOrganization.ts';
import { postCorrection } from './endpoints/postCorrection.ts';
import { postOrganization } from './endpoints/postOrganization.ts';
import { postOrganizationKey } from './endpoints/postOrganizationKey.ts';
import { postTopUp } from './endpoints/postTopUp.ts';
import { putKeySpendLimit } from './endpoints/putKeySpendLimit.ts';
import { putSpendLimit } from './endpoints/putSpendLimit.ts';
import { onBehalf } from './onBehalf.ts';
import { recorded } from './recorded.ts';

/** The operator's API, on a port of its own. */
export const adminEndpoints: readonly Endpoint[] = [
  postOrganization,
  listOrganizations,
  getOrganization,
  patchOrganization,
  postTopUp,
  postCorrection,
  putSpendLimit,
  deleteSpendLimit,
  postOrganizationKey,
  listOrganizationKeys,
  putKeySpendLimit,
  deleteKeySpendLimit,
  onBehalf(postRotate),
  onBehalf(deleteApiKey),
  onBehalf(listEveryTransaction),
  onBehalf(getUsageWithWriteOffs),
  onBehalf(listEndpoints),
  onBehalf(getEndpoint),
  onBehalf(listDeliveries),
  onBehalf(getDelivery),
  onBehalf(postRedeliver),
  onBehalf(postRecover),
  listAllModels,
  listAnyExecutions,
  getAnyExecution,
  listAttempts,
  cancelAnyExecution,
  listActions,
];

export function createAdminApp(context: Context): Express {
  return createPipeline({
    context,
    endpoints: adminEndpoints.map(recorded),
    authenticate: authenticateOperator(parseAdminTokens(context.config.ADMIN_TOKEN) ?? []),
    limitRate: limitOperators(context),
  });
}
