import type { Express } from 'express';
import { z } from 'zod';
import { authenticateOperator, readOperators } from './access/operators.ts';
import { recorded } from './admin/actionLog.ts';
import { patchModel, putModel } from './admin/endpoints/applyModel.ts';
import { getAudit, postAudit } from './admin/endpoints/audit.ts';
import { cancelAnyExecution } from './admin/endpoints/cancelAnyExecution.ts';
import { postAcceptReview, postWriteOffReview } from './admin/endpoints/decideReview.ts';
import { deleteKeySpendLimit } from './admin/endpoints/deleteKeySpendLimit.ts';
import { deleteSession } from './admin/endpoints/deleteSession.ts';
import { deleteSpendLimit } from './admin/endpoints/deleteSpendLimit.ts';
import { getAnyDelivery } from './admin/endpoints/getAnyDelivery.ts';
import { getAnyEndpoint } from './admin/endpoints/getAnyEndpoint.ts';
import { getAnyExecution } from './admin/endpoints/getAnyExecution.ts';
import { getBalanceHistory } from './admin/endpoints/getBalanceHistory.ts';
import { getMoney } from './admin/endpoints/getMoney.ts';
import { getOrganization } from './admin/endpoints/getOrganization.ts';
import { getOverview } from './admin/endpoints/getOverview.ts';
import { getSession } from './admin/endpoints/getSession.ts';
import { getSignInMethods } from './admin/endpoints/getSignInMethods.ts';
import { getStoredModel } from './admin/endpoints/getStoredModel.ts';
import { listActions } from './admin/endpoints/listActions.ts';
import { listAllModels } from './admin/endpoints/listAllModels.ts';
import { listAnyBatches } from './admin/endpoints/listAnyBatches.ts';
import { listAnyDeliveries } from './admin/endpoints/listAnyDeliveries.ts';
import { listAnyEndpoints } from './admin/endpoints/listAnyEndpoints.ts';
import { listAnyExecutions } from './admin/endpoints/listAnyExecutions.ts';
import { listAttempts } from './admin/endpoints/listAttempts.ts';
import { listFailedJobs } from './admin/endpoints/listFailedJobs.ts';
import { listOrganizationKeys } from './admin/endpoints/listOrganizationKeys.ts';
import { listOrganizations } from './admin/endpoints/listOrganizations.ts';
import { listQueues } from './admin/endpoints/listQueues.ts';
import { listReviews } from './admin/endpoints/listReviews.ts';
import { listSessions } from './admin/endpoints/listSessions.ts';
import { postOidcSession, postOidcSignIn } from './admin/endpoints/oidcSignIns.ts';
import { patchOrganization } from './admin/endpoints/patchOrganization.ts';
import { postCorrection } from './admin/endpoints/postCorrection.ts';
import { postFile } from './admin/endpoints/postFile.ts';
import { postModelCheck } from './admin/endpoints/postModelCheck.ts';
import { postOrganization } from './admin/endpoints/postOrganization.ts';
import { postOrganizationKey } from './admin/endpoints/postOrganizationKey.ts';
import { postQueueRetry } from './admin/endpoints/postQueueRetry.ts';
import { postRecoverDeliveries } from './admin/endpoints/postRecoverDeliveries.ts';
import { postRefund } from './admin/endpoints/postRefund.ts';
import { postRerun } from './admin/endpoints/postRerun.ts';
import { postSession } from './admin/endpoints/postSession.ts';
import { postSignInLink } from './admin/endpoints/postSignInLink.ts';
import { postTopUp } from './admin/endpoints/postTopUp.ts';
import { putKeySpendLimit } from './admin/endpoints/putKeySpendLimit.ts';
import { putSpendLimit } from './admin/endpoints/putSpendLimit.ts';
import { deleteQueuePause, putQueuePause } from './admin/endpoints/queuePause.ts';
import { revokeAnySession } from './admin/endpoints/revokeAnySession.ts';
import { callerFor } from './admin/organizations.ts';
import { permitted } from './admin/permissions.ts';
import { deleteApiKey } from './api/apiKeys/deleteApiKey.ts';
import { postRotate } from './api/apiKeys/postRotate.ts';
import { getUsageWithWriteOffs } from './api/balance/getUsage.ts';
import { listEveryTransaction } from './api/balance/listTransactions.ts';
import { getBatch } from './api/batches/getBatch.ts';
import { postCancelBatch } from './api/batches/postCancelBatch.ts';
import { postPauseBatch } from './api/batches/postPauseBatch.ts';
import { postResumeBatch } from './api/batches/postResumeBatch.ts';
import { postRetryBatch } from './api/batches/postRetryBatch.ts';
import { deleteExecution } from './api/executions/deleteExecution.ts';
import { postBulkCancel } from './api/executions/postBulkCancel.ts';
import { postBulkRerun } from './api/executions/postBulkRerun.ts';
import { postEstimate } from './api/executions/postEstimate.ts';
import { postExecution } from './api/executions/postExecution.ts';
import { streamEvents } from './api/executions/streamEvents.ts';
import { streamOutput } from './api/executions/streamOutput.ts';
import { getDownload } from './api/files/getDownload.ts';
import { getFile } from './api/files/getFile.ts';
import { deletePortalSession } from './api/portal/deletePortalSession.ts';
import { postPortalSession } from './api/portal/postPortalSession.ts';
import { getDelivery } from './api/webhooks/getDelivery.ts';
import { getEndpoint } from './api/webhooks/getEndpoint.ts';
import { getEndpointActivity } from './api/webhooks/getEndpointActivity.ts';
import { getEndpointBacklog } from './api/webhooks/getEndpointBacklog.ts';
import { listDeliveries } from './api/webhooks/listDeliveries.ts';
import { listEndpoints } from './api/webhooks/listEndpoints.ts';
import { listExecutionDeliveries } from './api/webhooks/listExecutionDeliveries.ts';
import { patchEndpoint } from './api/webhooks/patchEndpoint.ts';
import { postEndpoint } from './api/webhooks/postEndpoint.ts';
import { postRecover } from './api/webhooks/postRecover.ts';
import { postRedeliver } from './api/webhooks/postRedeliver.ts';
import { postRotateEndpointSecret } from './api/webhooks/postRotateEndpointSecret.ts';
import { postTestEvent } from './api/webhooks/postTestEvent.ts';
import type { Context } from './context/context.ts';
import type { Endpoint, EndpointRequest } from './context/endpoint.ts';
import { idField } from './http/fields.ts';
import { mountConsole } from './pages/console.ts';
import { mountSite, siteFolder } from './pages/docs/site.ts';
import { mountDocument } from './pages/openapi/mountDocument.ts';
import { limitOperators } from './pipeline/rateLimit.ts';
import { createPipeline } from './pipeline/serve.ts';

const testRuns =
  'For operators alone, a disabled model (`active: false`) can be run too, as a test before it is offered: clients are told that there is no such model.';

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
  onBehalf(postEndpoint),
  onBehalf(getEndpoint),
  onBehalf(getEndpointActivity),
  onBehalf(getEndpointBacklog),
  onBehalf(listDeliveries),
  onBehalf(getDelivery),
  onBehalf(postRedeliver),
  onBehalf(listExecutionDeliveries),
  onBehalf(postEstimate, testRuns),
  onBehalf(postExecution, testRuns),
  onBehalf(postBulkCancel),
  onBehalf(postBulkRerun),
  onBehalf(getBatch),
  onBehalf(postPauseBatch),
  onBehalf(postResumeBatch),
  onBehalf(postCancelBatch),
  onBehalf(postRetryBatch),
  onBehalf(streamEvents),
  onBehalf(streamOutput),
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
  getStoredModel,
  postModelCheck,
  putModel,
  patchModel,
  listAnyBatches,
  listAnyExecutions,
  getAnyExecution,
  listAttempts,
  cancelAnyExecution,
  postRefund,
  postRerun,
  listReviews,
  postAcceptReview,
  postWriteOffReview,
  getOverview,
  getMoney,
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
  const endpoints = [...adminEndpoints, ...signInEndpoints];
  return createPipeline({
    context,
    endpoints: [...adminEndpoints.map(permitted).map(recorded), ...signInEndpoints],
    authenticate: authenticateOperator(context.db, readOperators(context.config)),
    limitRate: limitOperators(context),
    mount: (app) => {
      mountConsole(app);
      mountDocument(app, async () =>
        (await import('./pages/openapi/adminDocument.ts')).createAdminDocument(endpoints),
      );
      // The `doc_url` of errors leads here.
      mountSite(app, siteFolder);
    },
  });
}

type Handled = EndpointRequest<{ organization_id: string }, undefined, undefined>;

/** Offers an endpoint of the public API to operators: `/v1/x` becomes `/admin/v1/organizations/{organization_id}/x`. */
function onBehalf(of: Endpoint, more = ''): Endpoint {
  const handle = of.handle as (request: Handled) => ReturnType<Endpoint['handle']>;
  return {
    ...of,
    description: [of.description, more].filter(Boolean).join(' '),
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
