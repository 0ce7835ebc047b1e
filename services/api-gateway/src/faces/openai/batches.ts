import { listBatches } from '@holdfast/db/batches/batches';
import { findRecentBatch } from '@holdfast/db/batches/fileIntake';
import { finishBatch } from '@holdfast/db/batches/turns';
import type { Batch } from '@holdfast/domain/batch';
import { newId } from '@holdfast/domain/ids';
import { z } from 'zod';
import type { Caller } from '../../access/identity.ts';
import { createOnce } from '../../batches/creation.ts';
import { findBatch, statusConflict } from '../../batches/readable.ts';
import type { Context } from '../../context/context.ts';
import { endpoint } from '../../context/endpoint.ts';
import { requireFiles } from '../../files/readyFiles.ts';
import { integerParameter, notFound } from '../../http/fields.ts';
import { checkedCursor } from '../../http/paging.ts';
import { readIdempotencyKey, requestHash } from '../../http/requestHeaders.ts';
import { batchEndpoints } from './batchEndpoints.ts';
import { batchObject } from './batchObject.ts';
import { refused } from './mapping.ts';

const route = '/v1/openai/batches';
const common = {
  tag: 'OpenAI',
  responses: { 200: { description: 'The batch', schema: null } },
} as const;
const params = z.object({ id: z.string() });
const windowS = 86_400;
/** A client that repeats a request has lost its response within this time. */
const repeatedWithinS = 120;

const body = z.looseObject({
  input_file_id: z.string().min(1).max(200),
  endpoint: z.string().min(1).max(200),
  completion_window: z.literal('24h'),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
});

/** The file's lines are taken by a sweep (batchIntake.ts), which then starts the batch. */
export const postOpenaiBatch = endpoint({
  ...common,
  method: 'POST',
  path: route,
  operationId: 'createOpenaiBatch',
  summary: 'Run the requests of a file',
  scope: 'executions:write',
  limit: 'create',
  body,
  async handle({ context, caller, body: given, headers }) {
    const { input_file_id: inputFileId, endpoint: name, metadata } = given;
    if (!Object.hasOwn(batchEndpoints, name)) {
      const known = Object.keys(batchEndpoints).join(', ');
      throw refused('endpoint', `A batch runs requests of these endpoints: ${known}.`, 'invalid_endpoint');
    }
    await requireFiles(context, caller.organizationId, [{ field: 'input_file_id', id: inputFileId }]);
    const hash = requestHash(given);
    const { organizationId, apiKeyId } = caller;
    const isRepeated = Number(headers['x-stainless-retry-count'] ?? 0) >= 1;
    const of = { organizationId, apiKeyId, requestHash: hash };
    const known = isRepeated ? await findRecentBatch(context.db, of, repeatedWithinS) : null;
    if (known) return { status: 200, body: batchObject(known) };
    const { batch } = await createOnce(context, {
      ...of,
      id: newId('bat'),
      model: null,
      defaults: null,
      metadata: metadata ?? null,
      webhookUrl: null,
      maxCost: null,
      onInsufficientBalance: 'pause',
      windowS,
      events: 'none',
      reserve: false,
      idempotencyKey: readIdempotencyKey(headers['idempotency-key'], false),
      face: { name: 'openai', endpoint: name, inputFileId },
    });
    return { status: 200, body: batchObject(batch) };
  },
});

/** @throws ApiError NOT_FOUND, also for a batch of another API */
async function findOpenaiBatch(context: Context, caller: Caller, id: string): Promise<Batch> {
  const batch = await findBatch(context, caller, id);
  if (batch.face?.name !== 'openai') throw notFound('batch');
  return batch;
}

export const getOpenaiBatch = endpoint({
  ...common,
  method: 'GET',
  path: `${route}/{id}`,
  operationId: 'getOpenaiBatch',
  summary: 'Read a batch',
  scope: 'executions:read',
  limit: 'other',
  params,
  async handle({ context, caller, params: of }) {
    return { status: 200, body: batchObject(await findOpenaiBatch(context, caller, of.id)) };
  },
});

export const listOpenaiBatches = endpoint({
  ...common,
  method: 'GET',
  path: route,
  operationId: 'listOpenaiBatches',
  summary: 'List batches',
  scope: 'executions:read',
  limit: 'other',
  query: z.object({
    limit: integerParameter({ min: 1, max: 100, default: 20 }),
    after: z.string().optional(),
  }),
  async handle({ context: { db }, caller, query: { limit, after } }) {
    const { organizationId, models, apiKeyId } = caller;
    const rows = await listBatches(db, organizationId, {
      statuses: null,
      apiKeyId: models.length > 0 ? apiKeyId : null,
      face: 'openai',
      cursor: checkedCursor('bat', after) ?? null,
      limit: limit + 1,
    });
    const data = rows.slice(0, limit).map(batchObject);
    const [first, last] = [data[0]?.id ?? null, data.at(-1)?.id ?? null];
    const has_more = rows.length > limit;
    return { status: 200, body: { object: 'list', data, first_id: first, last_id: last, has_more } };
  },
});

export const postCancelOpenaiBatch = endpoint({
  ...common,
  method: 'POST',
  path: `${route}/{id}/cancel`,
  operationId: 'cancelOpenaiBatch',
  summary: 'Cancel a batch',
  scope: 'executions:write',
  limit: 'other',
  params,
  async handle({ context, caller, params: of }) {
    const { id, organizationId } = await findOpenaiBatch(context, caller, of.id);
    await finishBatch(context.db, { id, organizationId }, 'cancelled');
    const batch = await findOpenaiBatch(context, caller, id);
    if (batch.endsAs !== 'cancelled') throw statusConflict(batch, 'it can no longer be cancelled');
    return { status: 200, body: batchObject(batch) };
  },
});
