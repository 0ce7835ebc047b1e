import { listVideoExecutions } from '@holdfast/db/executions/videos';
import { videoId } from '@holdfast/domain/endpointDialects';
import { ApiError } from '@holdfast/domain/errors';
import type { Execution } from '@holdfast/domain/execution';
import type { ModelDefinition } from '@holdfast/domain/modelDefinition';
import { isTerminal } from '@holdfast/domain/statuses';
import { openaiVideo } from '@holdfast/domain/webhookDialect';
import { cancelUnlessEnded, erase } from '@holdfast/executions/lifecycle';
import { sendObject } from '@holdfast/files/objectResponse';
import { z } from 'zod';
import type { Caller } from '../../access/identity.ts';
import { boundModels } from '../../access/models.ts';
import type { Context } from '../../context/context.ts';
import { endpoint } from '../../context/endpoint.ts';
import { findExecution } from '../../executions/readable.ts';
import { respondStoreError } from '../../files/storage.ts';
import { integerParameter, notFound } from '../../http/fields.ts';
import { fileLimits } from '../requestFiles.ts';
import { costHeaders, requireCompleted } from '../run.ts';
import { openaiError } from './errors.ts';
import { createFromFiles } from './fileRequest.ts';
import { inputFor } from './mapping.ts';
import { requireOutput } from './output.ts';

export const videosRoute = '/v1/openai/videos';
export const ofVideos = {
  tag: 'OpenAI',
  responses: { 200: { description: 'The video', schema: null } },
} as const;
const params = z.object({ id: z.string() });

const videoFields = z.looseObject({
  model: z.string().min(1).max(200),
  prompt: z.string().nullish(),
  seconds: z.coerce.number().positive().max(3600).nullish(),
  size: z.string().max(100).nullish(),
});

type VideoFields = z.infer<typeof videoFields>;

function videoInput(
  definition: ModelDefinition,
  { model: _model, ...fields }: VideoFields,
): Record<string, unknown> {
  return inputFor(
    definition,
    'videos',
    Object.entries(fields).map(([field, value]) => ({ field, value, isEssential: field === 'seconds' })),
  );
}

/** A run of a video model is asynchronous at OpenAI, too: one execution is one video. */
export const postVideo = endpoint({
  ...ofVideos,
  ...fileLimits,
  method: 'POST',
  path: videosRoute,
  operationId: 'createOpenaiVideo',
  summary: 'Create a video',
  scope: 'executions:write',
  limit: 'create',
  body: z.looseObject({}),
  async handle({ body, ...call }) {
    const request = { ...call, terms: { webhookDialect: openaiVideo } };
    const { created, fields } = await createFromFiles(request, body, {
      route: `POST ${videosRoute}`,
      fields: videoFields,
      files: ['input_reference'],
      operation: 'videos',
      input: videoInput,
    });
    const execution = await findExecution(call.context, call.caller, created.execution.id);
    return { status: 200, body: videoOf(execution, fields.model), headers: created.headers };
  },
});

export const getVideo = endpoint({
  ...ofVideos,
  method: 'GET',
  path: `${videosRoute}/{id}`,
  operationId: 'getOpenaiVideo',
  summary: 'Read a video',
  scope: 'executions:read',
  limit: 'other',
  params,
  async handle({ context, caller, params: of }) {
    const execution = await findVideo(context, caller, of.id);
    const headers = { ...costHeaders(execution), 'openai-poll-after-ms': '2000' };
    return { status: 200, body: videoOf(execution), headers };
  },
});

export const listVideos = endpoint({
  ...ofVideos,
  method: 'GET',
  path: videosRoute,
  operationId: 'listOpenaiVideos',
  summary: 'List videos',
  scope: 'executions:read',
  limit: 'other',
  query: z.object({
    limit: integerParameter({ min: 1, max: 100, default: 20 }),
    after: z.string().optional(),
    order: z.enum(['asc', 'desc']).default('desc'),
  }),
  async handle({ context, caller, query: { after, ...page } }) {
    const id = after === undefined ? null : executionIdOf(after);
    if (id === null && after !== undefined) throw notFound('video');
    const models = boundModels(caller) ?? null;
    const { rows, next } = await listVideoExecutions(context.db, caller.organizationId, {
      ...page,
      models,
      after: id,
    });
    const data = rows.map((one) => videoOf(one));
    const [first, last] = [data[0]?.id ?? null, data.at(-1)?.id ?? null];
    return {
      status: 200,
      body: { object: 'list', data, first_id: first, last_id: last, has_more: next !== null },
    };
  },
});

export const getVideoContent = endpoint({
  ...ofVideos,
  method: 'GET',
  path: `${videosRoute}/{id}/content`,
  operationId: 'downloadOpenaiVideo',
  summary: 'Download a video',
  scope: 'executions:read',
  limit: 'other',
  params,
  query: z.object({ variant: z.literal('video').default('video') }),
  async handle({ params: of, raw, ...call }) {
    const execution = requireCompleted(await findVideo(call.context, call.caller, of.id), {});
    const [{ key, filename, contentType }] = await requireOutput(call, execution, 'videos');
    const object = { key, filename, contentType };
    await sendObject(raw.request, raw.response, call.context.store, object, respondStoreError);
    return null;
  },
});

export const deleteVideo = endpoint({
  ...ofVideos,
  method: 'DELETE',
  path: `${videosRoute}/{id}`,
  operationId: 'deleteOpenaiVideo',
  summary: 'Delete a video',
  scope: 'executions:write',
  limit: 'other',
  params,
  async handle({ context, caller, params: of }) {
    const { id, status } = await findVideo(context, caller, of.id);
    if (!isTerminal(status)) await cancelUnlessEnded(context, caller.organizationId, id);
    await erase(context.db, caller.organizationId, id);
    return { status: 200, body: { id: of.id, object: 'video.deleted', deleted: true } };
  },
});

function executionIdOf(id: string): string | null {
  return id.startsWith('video_') ? `exec_${id.slice('video_'.length)}` : null;
}

/** @throws ApiError NOT_FOUND, also for a video that was deleted */
export async function findVideo(context: Context, caller: Caller, id: string): Promise<Execution> {
  const executionId = executionIdOf(id);
  const execution = executionId === null ? null : await findExecution(context, caller, executionId);
  if (execution === null || execution.erasedAt !== null) throw notFound('video');
  return execution;
}

const statuses: Record<Execution['status'], string> = {
  PENDING: 'queued',
  PROCESSING: 'in_progress',
  AWAITING_WEBHOOK: 'in_progress',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'failed',
  EXPIRED: 'failed',
};

export function videoOf(execution: Execution, model = execution.model) {
  const { id, status, progress, createdAt, completedAt, errorCode, errorMessage, metadata } = execution;
  const error = errorCode && openaiError(new ApiError(errorCode, errorMessage ?? '')).error;
  return {
    id: videoId(id),
    object: 'video',
    model,
    status: statuses[status],
    progress: status === 'COMPLETED' ? 100 : Math.floor((progress ?? 0) * 100),
    created_at: Math.floor(createdAt.getTime() / 1000),
    completed_at: completedAt && Math.floor(completedAt.getTime() / 1000),
    expires_at: null,
    remixed_from_video_id: metadata?.['remixed_from_video_id'] ?? null,
    error: error
      ? { code: error.code, message: error.message }
      : status === 'CANCELLED'
        ? { code: 'cancelled', message: 'The execution was cancelled.' }
        : null,
  };
}
