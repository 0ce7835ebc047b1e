import type { Express } from 'express';
import type { Context } from './context.ts';
import { mountHome } from './docs/home.ts';
import { mountSite, siteFolder } from './docs/site.ts';
import { deleteApiKey } from './endpoints/apiKeys/deleteApiKey.ts';
import { listApiKeys } from './endpoints/apiKeys/listApiKeys.ts';
import { postApiKey } from './endpoints/apiKeys/postApiKey.ts';
import { postRotate } from './endpoints/apiKeys/postRotate.ts';
import { getBalance } from './endpoints/balance/getBalance.ts';
import { getUsage } from './endpoints/balance/getUsage.ts';
import { listTransactions } from './endpoints/balance/listTransactions.ts';
import { postCallback } from './endpoints/callbacks/postCallback.ts';
import { getEvent } from './endpoints/events/getEvent.ts';
import { listEvents } from './endpoints/events/listEvents.ts';
import { deleteExecution } from './endpoints/executions/deleteExecution.ts';
import { getExecution } from './endpoints/executions/getExecution.ts';
import { getResult } from './endpoints/executions/getResult.ts';
import { listExecutions } from './endpoints/executions/listExecutions.ts';
import { postCancel } from './endpoints/executions/postCancel.ts';
import { postEstimate } from './endpoints/executions/postEstimate.ts';
import { postExecution } from './endpoints/executions/postExecution.ts';
import { postToken } from './endpoints/executions/postToken.ts';
import { streamEvents } from './endpoints/executions/streamEvents.ts';
import { deleteFile } from './endpoints/files/deleteFile.ts';
import { getDownload } from './endpoints/files/getDownload.ts';
import { getFile } from './endpoints/files/getFile.ts';
import { getUrl } from './endpoints/files/getUrl.ts';
import { postConfirm } from './endpoints/files/postConfirm.ts';
import { postUpload } from './endpoints/files/postUpload.ts';
import { getModel } from './endpoints/models/getModel.ts';
import { listModels } from './endpoints/models/listModels.ts';
import { deletePortalSession } from './endpoints/portal/deletePortalSession.ts';
import { postPortalSession } from './endpoints/portal/postPortalSession.ts';
import { deleteEndpoint } from './endpoints/webhooks/deleteEndpoint.ts';
import { getDelivery } from './endpoints/webhooks/getDelivery.ts';
import { getEndpoint } from './endpoints/webhooks/getEndpoint.ts';
import { getEndpointActivity } from './endpoints/webhooks/getEndpointActivity.ts';
import { getEndpointBacklog } from './endpoints/webhooks/getEndpointBacklog.ts';
import { getSecret } from './endpoints/webhooks/getSecret.ts';
import { listDeliveries } from './endpoints/webhooks/listDeliveries.ts';
import { listEndpoints } from './endpoints/webhooks/listEndpoints.ts';
import { listExecutionDeliveries } from './endpoints/webhooks/listExecutionDeliveries.ts';
import { patchEndpoint } from './endpoints/webhooks/patchEndpoint.ts';
import { postEndpoint } from './endpoints/webhooks/postEndpoint.ts';
import { postRecover } from './endpoints/webhooks/postRecover.ts';
import { postRedeliver } from './endpoints/webhooks/postRedeliver.ts';
import { postRotateEndpointSecret } from './endpoints/webhooks/postRotateEndpointSecret.ts';
import { postRotateSecret } from './endpoints/webhooks/postRotateSecret.ts';
import { postTestEvent } from './endpoints/webhooks/postTestEvent.ts';
import { mountStorage } from './files/storage.ts';
import { authenticate, openCallers } from './http/auth.ts';
import type { Endpoint } from './http/endpoint.ts';
import { createPipeline } from './http/pipeline.ts';
import { limitRate } from './http/rateLimit.ts';
import { currentSessionEndpoints } from './portal/currentSession.ts';
import { mountPortal } from './portal/portalPages.ts';
import { enterPortal } from './portal/sessionRequest.ts';

/** Every endpoint of the API, in the order of the reference. */
export const endpoints: readonly Endpoint[] = [
  postExecution,
  postEstimate,
  listExecutions,
  getExecution,
  streamEvents,
  getResult,
  postCancel,
  postToken,
  deleteExecution,
  listModels,
  getModel,
  getBalance,
  listTransactions,
  getUsage,
  postUpload,
  postConfirm,
  getFile,
  getDownload,
  getUrl,
  deleteFile,
  postEndpoint,
  listEndpoints,
  getEndpoint,
  getEndpointActivity,
  getEndpointBacklog,
  patchEndpoint,
  deleteEndpoint,
  postRotateEndpointSecret,
  postTestEvent,
  listDeliveries,
  postRecover,
  listExecutionDeliveries,
  getDelivery,
  postRedeliver,
  getSecret,
  postRotateSecret,
  listEvents,
  getEvent,
  listApiKeys,
  postApiKey,
  postRotate,
  deleteApiKey,
  postPortalSession,
  deletePortalSession,
  postCallback,
];

export function createApp(context: Context): Express {
  return createPipeline({
    context,
    endpoints: [...endpoints, ...currentSessionEndpoints],
    enter: enterPortal,
    origins: context.config.CORS_ORIGINS,
    authenticate: authenticate(openCallers(context)),
    limitRate: limitRate(context),
    mount: (app) => {
      mountStorage(app, context);
      mountHome(app, endpoints);
      mountPortal(app, context);
      mountSite(app, siteFolder);
    },
  });
}
