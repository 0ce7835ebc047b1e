import type { Express } from 'express';
import { authenticate, openCallers } from './access/callers.ts';
import { enterPortal } from './access/portalRequest.ts';
import { deleteApiKey } from './api/apiKeys/deleteApiKey.ts';
import { listApiKeys } from './api/apiKeys/listApiKeys.ts';
import { postApiKey } from './api/apiKeys/postApiKey.ts';
import { postRotate } from './api/apiKeys/postRotate.ts';
import { getBalance } from './api/balance/getBalance.ts';
import { getUsage } from './api/balance/getUsage.ts';
import { listTransactions } from './api/balance/listTransactions.ts';
import { deleteBatch } from './api/batches/deleteBatch.ts';
import { getBatch } from './api/batches/getBatch.ts';
import { listBatches } from './api/batches/listBatches.ts';
import { listBatchItems } from './api/batches/listBatchItems.ts';
import { postBatch } from './api/batches/postBatch.ts';
import { postCancelBatch } from './api/batches/postCancelBatch.ts';
import { postItems } from './api/batches/postItems.ts';
import { postPauseBatch } from './api/batches/postPauseBatch.ts';
import { postResumeBatch } from './api/batches/postResumeBatch.ts';
import { postRetryBatch } from './api/batches/postRetryBatch.ts';
import { postSeal } from './api/batches/postSeal.ts';
import { postCallback } from './api/callbacks/postCallback.ts';
import { getEvent } from './api/events/getEvent.ts';
import { listEvents } from './api/events/listEvents.ts';
import { deleteExecution } from './api/executions/deleteExecution.ts';
import { getExecution } from './api/executions/getExecution.ts';
import { getInput } from './api/executions/getInput.ts';
import { getResult } from './api/executions/getResult.ts';
import { listExecutions } from './api/executions/listExecutions.ts';
import { postBulkCancel } from './api/executions/postBulkCancel.ts';
import { postBulkRerun } from './api/executions/postBulkRerun.ts';
import { postCancel } from './api/executions/postCancel.ts';
import { postEstimate } from './api/executions/postEstimate.ts';
import { postExecution } from './api/executions/postExecution.ts';
import { postToken } from './api/executions/postToken.ts';
import { streamEvents } from './api/executions/streamEvents.ts';
import { streamOutput } from './api/executions/streamOutput.ts';
import { deleteFile } from './api/files/deleteFile.ts';
import { getDownload } from './api/files/getDownload.ts';
import { getFile } from './api/files/getFile.ts';
import { getUrl } from './api/files/getUrl.ts';
import { postConfirm } from './api/files/postConfirm.ts';
import { postUpload } from './api/files/postUpload.ts';
import { getModel } from './api/models/getModel.ts';
import { listModels } from './api/models/listModels.ts';
import { currentSessionEndpoints } from './api/portal/currentSession.ts';
import { deletePortalSession } from './api/portal/deletePortalSession.ts';
import { postPortalSession } from './api/portal/postPortalSession.ts';
import { deleteEndpoint } from './api/webhooks/deleteEndpoint.ts';
import { getDelivery } from './api/webhooks/getDelivery.ts';
import { getEndpoint } from './api/webhooks/getEndpoint.ts';
import { getEndpointActivity } from './api/webhooks/getEndpointActivity.ts';
import { getEndpointBacklog } from './api/webhooks/getEndpointBacklog.ts';
import { getSecret } from './api/webhooks/getSecret.ts';
import { listDeliveries } from './api/webhooks/listDeliveries.ts';
import { listEndpoints } from './api/webhooks/listEndpoints.ts';
import { listExecutionDeliveries } from './api/webhooks/listExecutionDeliveries.ts';
import { patchEndpoint } from './api/webhooks/patchEndpoint.ts';
import { postEndpoint } from './api/webhooks/postEndpoint.ts';
import { postRecover } from './api/webhooks/postRecover.ts';
import { postRedeliver } from './api/webhooks/postRedeliver.ts';
import { postRotateEndpointSecret } from './api/webhooks/postRotateEndpointSecret.ts';
import { postRotateSecret } from './api/webhooks/postRotateSecret.ts';
import { postTestEvent } from './api/webhooks/postTestEvent.ts';
import type { Context } from './context/context.ts';
import type { Endpoint } from './context/endpoint.ts';
import { falFace } from './faces/fal/face.ts';
import { openaiFace } from './faces/openai/face.ts';
import { replicateFace } from './faces/replicate/face.ts';
import { mountStorage } from './files/storage.ts';
import { mountHome } from './pages/docs/home.ts';
import { mountModels } from './pages/docs/models.ts';
import { mountSite, siteFolder } from './pages/docs/site.ts';
import { mountPortal } from './pages/portal.ts';
import { limitRate } from './pipeline/rateLimit.ts';
import { createPipeline } from './pipeline/serve.ts';

/** Every endpoint of the API, in the order of the reference. */
export const endpoints: readonly Endpoint[] = [
  postExecution,
  postEstimate,
  listExecutions,
  getExecution,
  streamEvents,
  streamOutput,
  getInput,
  getResult,
  postCancel,
  postBulkCancel,
  postBulkRerun,
  postToken,
  deleteExecution,
  postBatch,
  listBatches,
  getBatch,
  postItems,
  listBatchItems,
  postSeal,
  postPauseBatch,
  postResumeBatch,
  postCancelBatch,
  postRetryBatch,
  deleteBatch,
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

const allFaces = [openaiFace, replicateFace, falFace];

export function createApp(context: Context): Express {
  const faces = allFaces.filter(({ name }) => context.config.COMPATIBLE_APIS.some((one) => one === name));
  return createPipeline({
    context,
    endpoints: [...endpoints, ...currentSessionEndpoints, ...faces.flatMap((face) => face.endpoints)],
    faces,
    enter: enterPortal,
    origins: context.config.CORS_ORIGINS,
    authenticate: authenticate(openCallers(context)),
    limitRate: limitRate(context),
    mount: (app) => {
      mountStorage(app, context);
      mountHome(app, endpoints);
      mountPortal(app, context);
      mountModels(app, context);
      mountSite(app, siteFolder);
    },
  });
}
