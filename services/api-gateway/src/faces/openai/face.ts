import { ApiError } from '@holdfast/domain/errors';
import type { Endpoint } from '../../context/endpoint.ts';
import type { Face } from '../../http/face.ts';
import { getOpenaiBatch, listOpenaiBatches, postCancelOpenaiBatch, postOpenaiBatch } from './batches.ts';
import { postChatCompletion, postCompletion } from './chat.ts';
import { postEmbeddings } from './embeddings.ts';
import { openaiErrorBody } from './errors.ts';
import {
  deleteOpenaiFile,
  getOpenaiFile,
  getOpenaiFileContent,
  listOpenaiFiles,
  postOpenaiFile,
} from './files.ts';
import { postImageEdit, postImageGeneration, postImageVariation } from './images.ts';
import { setLimitHeaders } from './limitHeaders.ts';
import { getOpenaiModel, listOpenaiModels } from './models.ts';
import { postModeration } from './moderations.ts';
import {
  deleteResponse,
  getResponse,
  listResponseInput,
  postCancelResponse,
  postResponse,
} from './responses.ts';
import { postSpeech } from './speech.ts';
import { postTranscription, postTranslation } from './transcriptions.ts';
import { postCancelUpload, postCompleteUpload, postOpenaiPart, postOpenaiUpload } from './uploads.ts';
import { postVideoRemix } from './videoRemix.ts';
import { deleteVideo, getVideo, getVideoContent, listVideos, postVideo } from './videos.ts';

const endpoints: readonly Endpoint[] = [
  listOpenaiModels,
  getOpenaiModel,
  postChatCompletion,
  postCompletion,
  postEmbeddings,
  postModeration,
  postResponse,
  getResponse,
  postCancelResponse,
  deleteResponse,
  listResponseInput,
  postImageGeneration,
  postImageEdit,
  postImageVariation,
  postVideo,
  listVideos,
  getVideo,
  getVideoContent,
  deleteVideo,
  postVideoRemix,
  postSpeech,
  postTranscription,
  postTranslation,
  postOpenaiFile,
  listOpenaiFiles,
  getOpenaiFile,
  getOpenaiFileContent,
  deleteOpenaiFile,
  postOpenaiUpload,
  postOpenaiPart,
  postCompleteUpload,
  postCancelUpload,
  postOpenaiBatch,
  listOpenaiBatches,
  getOpenaiBatch,
  postCancelOpenaiBatch,
];

const offered = endpoints.map(({ method, path }) => `${method} ${path}`).join(', ');

/** OpenAI's API: `base_url` of its clients is `<PUBLIC_URL>/v1/openai`. */
export const openaiFace: Face & { endpoints: readonly Endpoint[] } = {
  name: 'openai',
  prefix: '/v1/openai/',
  endpoints,
  waitsFor: ['memory'],
  setHeaders: setLimitHeaders,
  errorBody(error, state, response) {
    const isUnknown = state.match.kind === 'unknown';
    const shown = isUnknown
      ? new ApiError('NOT_FOUND', `There is no such endpoint here. There are: ${offered}.`)
      : error;
    return openaiErrorBody(shown, response, isUnknown ? 'unsupported_endpoint' : null);
  },
};
