import type { Express } from 'express';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { mountSite, siteFolder } from '../docs/site.ts';
import { deleteApiKey } from '../endpoints/apiKeys/deleteApiKey.ts';
import { postRotate } from '../endpoints/apiKeys/postRotate.ts';
import { getUsageWithWriteOffs } from '../endpoints/balance/getUsage.ts';
import { listEveryTransaction } from '../endpoints/balance/listTransactions.ts';
import { deleteExecution } from '../endpoints/executions/deleteExecution.ts';
import { postEstimate } from '../endpoints/executions/postEstimate.ts';
import { postExecution } from '../endpoints/executions/postExecution.ts';
import { streamEvents } from '../endpoints/executions/streamEvents.ts';
import { getDownload } from '../endpoints/files/getDownload.ts';
import { getFile } from '../endpoints/files/getFile.ts';
import { deletePortalSession } from '../endpoints/portal/deletePortalSession.ts';
import { postPortalSession } from '../endpoints/portal/postPortalSession.ts';
import { getDelivery } from '../endpoints/webhooks/getDelivery.ts';
import { getEndpoint } from '../endpoints/webhooks/getEndpoint.ts';
import { getEndpointActivity } from '../endpoints/webhooks/getEndpointActivity.ts';
import { getEndpointBacklog } from '../endpoints/webhooks/getEndpointBacklog.ts';
import { listDeliveries } from '../endpoints/webhooks/listDeliveries.ts';
import { listEndpoints } from '../endpoints/webhooks/listEndpoints.ts';
import { listExecutionDeliveries } from '../endpoints/webhooks/listExecutionDeliveries.ts';
import { patchEndpoint } from '../endpoints/webhooks/patchEndpoint.ts';
import { postRecover } from '../endpoints/webhooks/postRecover.ts';
import { postRedeliver } from '../endpoints/webhooks/postRedeliver.ts';
import { postRotateEndpointSecret } from '../endpoints/webhooks/postRotateEndpointSecret.ts';
import { postTestEvent } from '../endpoints/webhooks/postTestEvent.ts';
import type { Endpoint, EndpointRequest } from '../http/endpoint.ts';
import { idField } from '../http/fields.ts';
import { createPipeline } from '../http/pipeline.ts';
import { limitOperators } from '../http/rateLimit.ts';
import { recorded } from './actionLog.ts';
import { mountConsole } from './consolePages.ts';
import { getAudit, postAudit } from './endpoints/audit.ts';
import { cancelAnyExecution } from './endpoints/cancelAnyExecution.ts';
import { deleteKeySpendLimit } from './endpoints/deleteKeySpendLimit.ts';
import { deleteSession } from './endpoints/deleteSession.ts';
import { deleteSpendLimit } from './endpoints/deleteSpendLimit.ts';
import { getAnyDelivery } from './endpoints/getAnyDelivery.ts';
import { getAnyEndpoint } from './endpoints/getAnyEndpoint.ts';
import { getAnyExecution } from './endpoints/getAnyExecution.ts';
import { getBalanceHistory } from './endpoints/getBalanceHistory.ts';
import { getOrganization } from './endpoints/getOrganization.ts';
import { getOverview } from './endpoints/getOverview.ts';
import { getSession } from './endpoints/getSession.ts';
import { getSignInMethods } from './endpoints/getSignInMethods.ts';
import { listActions } from './endpoints/listActions.ts';
import { listAllModels } from './endpoints/listAllModels.ts';
import { listAnyDeliveries } from './endpoints/listAnyDeliveries.ts';
import { listAnyEndpoints } from './endpoints/listAnyEndpoints.ts';
import { listAnyExecutions } from './endpoints/listAnyExecutions.ts';
import { listAttempts } from './endpoints/listAttempts.ts';
import { listFailedJobs } from './endpoints/listFailedJobs.ts';
import { listOrganizationKeys } from './endpoints/listOrganizationKeys.ts';
import { listOrganizations } from './endpoints/listOrganizations.ts';
import { listQueues } from './endpoints/listQueues.ts';
import { listSessions } from './endpoints/listSessions.ts';
import { postOidcSession, postOidcSignIn } from './endpoints/oidcSignIns.ts';
import { patchOrganization } from './endpoints/patchOrganization.ts';
import { postCorrection } from './endpoints/postCorrection.ts';
import { postFile } from './endpoints/postFile.ts';
import { postOrganization } from './endpoints/postOrganization.ts';
import { postOrganizationKey } from './endpoints/postOrganizationKey.ts';
import { postQueueRetry } from './endpoints/postQueueRetry.ts';
import { postRecoverDeliveries } from './endpoints/postRecoverDeliveries.ts';
import { postRerun } from './endpoints/postRerun.ts';
import { postSession } from './endpoints/postSession.ts';
import { postSignInLink } from './endpoints/postSignInLink.ts';
import { postTopUp } from './endpoints/postTopUp.ts';
import { putKeySpendLimit } from './endpoints/putKeySpendLimit.ts';
import { putSpendLimit } from './endpoints/putSpendLimit.ts';
import { deleteQueuePause, putQueuePause } from './endpoints/queuePause.ts';
import { revokeAnySession } from './endpoints/revokeAnySession.ts';
import { authenticateOperator, readOperators } from './operators.ts';
import { callerFor } from './organizations.ts';
import { permitted } from './permissions.ts';

/** The operators' API, on its own port. */
export const adminEndpoints: readonly Endpoint[] = [
  postOrganization,
  listOrganizations,
  getOrganization,
  getBalanceHistory,
  patchOrganization,
  postTopUp,
  postCorrection,
  putSpendLimit,
  deleteSpendLimit,
  postOrganizationKey,
  listOrganizationKeys,
  putKeySpendLimit,
  deleteKeySpendLimit,
  onBehalf(postPortalSession),
  onBehalf(deletePortalSession),
  onBehalf(postRotate),
  onBehalf(deleteApiKey),
  onBehalf(listEveryTransaction),
  onBehalf(getUsageWithWriteOffs),
  onBehalf(listEndpoints),
  onBehalf(getEndpoint),
  onBehalf(getEndpointActivity),
  onBehalf(getEndpointBacklog),
  onBehalf(listDeliveries),
  onBehalf(getDelivery),
  onBehalf(postRedeliver),
  onBehalf(listExecutionDeliveries),
  onBehalf(postEstimate),
  onBehalf(postExecution),
  onBehalf(streamEvents),
  postFile,
  onBehalf(getFile),
  onBehalf(getDownload),
  onBehalf(deleteExecution),
  onBehalf(postRecover),
  onBehalf(patchEndpoint),
  onBehalf(postRotateEndpointSecret),
  onBehalf(postTestEvent),
  listAnyEndpoints,
  getAnyEndpoint,
  listAnyDeliveries,
  getAnyDelivery,
  postRecoverDeliveries,
  listAllModels,
  listAnyExecutions,
  getAnyExecution,
  listAttempts,
  cancelAnyExecution,
  postRerun,
  getOverview,
  listQueues,
  listFailedJobs,
  postQueueRetry,
  putQueuePause,
  deleteQueuePause,
  getAudit,
  postAudit,
  listActions,
  getSession,
  deleteSession,
  listSessions,
  revokeAnySession,
  postSignInLink,
];

/** They need no operator: who signs in is not known yet. A sign-in records itself. */
export const signInEndpoints: readonly Endpoint[] = [
  postSession,
  getSignInMethods,
  postOidcSignIn,
  postOidcSession,
];

export function createAdminApp(context: Context): Express {
  return createPipeline({
    context,
    endpoints: [...adminEndpoints.map(permitted).map(recorded), ...signInEndpoints],
    authenticate: authenticateOperator(context.db, readOperators(context.config)),
    limitRate: limitOperators(context),
    mount: (app) => {
      mountConsole(app);
      // The `doc_url` of errors leads here.
      mountSite(app, siteFolder);
    },
  });
}

type Handled = EndpointRequest<{ organization_id: string }, undefined, undefined>;

/** Offers an endpoint of the public API to operators: `/v1/x` becomes `/admin/v1/organizations/{organization_id}/x`. */
function onBehalf(of: Endpoint): Endpoint {
  const handle = of.handle as (request: Handled) => ReturnType<Endpoint['handle']>;
  return {
    ...of,
    path: of.path.replace('/v1', '/admin/v1/organizations/{organization_id}'),
    access: 'operator',
    // Execution tokens are of the public API: their paths can be read by pages of any origin.
    allowsTokens: false,
    params: (of.params ?? z.object({})).extend({ organization_id: idField('org') }),
    async handle(request: Handled) {
      const caller = await callerFor(request.context, request.params.organization_id);
      return await handle({ ...request, caller });
    },
  };
}
