import type { Request } from 'express';
import type { Endpoint } from '../../context/endpoint.ts';
import type { Face } from '../../http/face.ts';
import { fileLinkEndpoint } from '../fileLinks.ts';
import { emptyPages, getReplicateAccount, getReplicateWebhookSecret } from './account.ts';
import { replicateError, replicateStatus } from './errors.ts';
import { deleteReplicateFile, getReplicateFile, listReplicateFiles, postReplicateFile } from './files.ts';
import {
  getReplicateDeployment,
  getReplicateModel,
  getReplicateVersion,
  listReplicateModels,
  listReplicateVersions,
  searchReplicateModels,
} from './models.ts';
import { outputPath } from './output.ts';
import {
  getPrediction,
  listPredictions,
  postCancelPrediction,
  postDeploymentPrediction,
  postModelPrediction,
  postPrediction,
} from './predictions.ts';
import { streamPrediction } from './stream.ts';

const endpoints: readonly Endpoint[] = [
  postPrediction,
  postModelPrediction,
  postDeploymentPrediction,
  listPredictions,
  getPrediction,
  postCancelPrediction,
  streamPrediction,
  listReplicateModels,
  searchReplicateModels,
  getReplicateModel,
  listReplicateVersions,
  getReplicateVersion,
  getReplicateDeployment,
  postReplicateFile,
  listReplicateFiles,
  getReplicateFile,
  deleteReplicateFile,
  getReplicateWebhookSecret,
  getReplicateAccount,
  ...emptyPages,
];

const prefix = '/v1/replicate/';

/** Requests by hand, as in Replicate's older samples, have their key in `Authorization: Token`. */
function enterReplicate({ url, headers }: Request): void {
  if (!url.startsWith(prefix)) return;
  headers.authorization &&= headers.authorization.replace(/^Token +/i, 'Bearer ');
}

/** Replicate's API: its JavaScript client has the URL as it is, and its Python client adds `/v1`. */
export const replicateFace: Face & { endpoints: readonly Endpoint[] } = {
  name: 'replicate',
  prefix,
  endpoints: [
    ...endpoints,
    ...endpoints.map((one) => ({ ...one, path: one.path.replace(prefix, `${prefix}v1/`) })),
    fileLinkEndpoint(outputPath, 'Replicate'),
  ],
  enter: enterReplicate,
  waitsFor: ['memory', 'rate'],
  setHeaders() {},
  errorStatus: replicateStatus,
  errorBody: replicateError,
};
