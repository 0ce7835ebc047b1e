import type { Endpoint } from '../../context/endpoint.ts';
import type { Face } from '../../http/face.ts';
import { fileLinkEndpoint } from '../fileLinks.ts';
import { falError, falStatus } from './errors.ts';
import { jwksEndpoints } from './jwks.ts';
import { filesPath } from './output.ts';
import { partEndpoints } from './parts.ts';
import { getFalResponse, getFalResult, getStatus, postQueue, putCancel } from './queue.ts';
import { postRealtimeToken } from './realtime.ts';
import { postRun, postStream } from './run.ts';
import { streamStatus } from './statusStream.ts';
import { enterFal, falPrefix } from './target.ts';
import {
  postFile,
  postFileMultipart,
  postInitiate,
  postInitiateMultipart,
  postStorageToken,
} from './uploads.ts';

/** fal's API: through `/v1/fal/proxy`, at `/v1/fal/{queue,run,rest}/`, and on the host names of `FAL_HOSTS`. */
export const falFace: Face & { endpoints: readonly Endpoint[] } = {
  name: 'fal',
  prefix: falPrefix,
  endpoints: [
    postQueue,
    getStatus,
    streamStatus,
    getFalResult,
    getFalResponse,
    putCancel,
    postRun,
    postStream,
    postInitiate,
    postInitiateMultipart,
    postStorageToken,
    postRealtimeToken,
    postFile,
    postFileMultipart,
    ...partEndpoints,
    ...jwksEndpoints,
    fileLinkEndpoint(filesPath, 'fal'),
  ],
  enter: enterFal,
  setHeaders() {},
  errorStatus: falStatus,
  errorBody: (error, _state, response) => falError(error, response),
};
