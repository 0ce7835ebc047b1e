import { searchExecutions, searchedPerPage } from '@holdfast/db/executions/search';
import { isTerminal } from '@holdfast/domain/statuses';
import { cancelUnlessEnded } from '@holdfast/executions/lifecycle';
import { z } from 'zod';
import { boundModels } from '../../access/models.ts';
import { endpoint } from '../../context/endpoint.ts';
import { findExecution } from '../../executions/readable.ts';
import { timeFilter, toDate } from '../../http/fields.ts';
import { checkedCursor, isUsablePage } from '../../http/paging.ts';
import { fileLimits } from '../requestFiles.ts';
import { costHeaders } from '../run.ts';
import { predictionBody, versionedBody } from './createBody.ts';
import { createPrediction } from './createPrediction.ts';
import { requireNamed, requireVersion } from './names.ts';
import { pageReply } from './page.ts';
import { predictionOf, predictionsOf } from './prediction.ts';

const route = '/v1/replicate/predictions';
const common = {
  tag: 'Replicate',
  limit: 'other',
  responses: { 200: { description: 'The prediction', schema: null } },
} as const;
const creating = {
  tag: 'Replicate',
  method: 'POST',
  scope: 'executions:write',
  limit: 'create',
  maxJsonBytes: fileLimits.maxJsonBytes,
  responses: { 201: { description: 'The prediction', schema: null } },
} as const;
const params = z.object({ id: z.string() });
const named = z.object({ owner: z.string().max(200), name: z.string().max(200) });

export const postPrediction = endpoint({
  ...creating,
  path: route,
  operationId: 'createReplicatePrediction',
  summary: 'Create a prediction with a version of a model',
  body: versionedBody,
  async handle({ body, ...call }) {
    const { definition } = await requireVersion(call.context, call.caller, body.version);
    return await createPrediction(call, definition, body);
  },
});

export const postModelPrediction = endpoint({
  ...creating,
  path: '/v1/replicate/models/{owner}/{name}/predictions',
  operationId: 'createReplicateModelPrediction',
  summary: 'Create a prediction with a model',
  params: named,
  body: predictionBody,
  async handle({ body, params: of, ...call }) {
    const { definition } = await requireNamed(call.context, call.caller, of);
    return await createPrediction(call, definition, body);
  },
});

export const postDeploymentPrediction = endpoint({
  ...creating,
  path: '/v1/replicate/deployments/{owner}/{name}/predictions',
  operationId: 'createReplicateDeploymentPrediction',
  summary: 'Create a prediction with a deployment',
  params: named,
  body: predictionBody,
  async handle({ body, params: of, ...call }) {
    const { definition } = await requireNamed(call.context, call.caller, of);
    return await createPrediction(call, definition, body);
  },
});

export const getPrediction = endpoint({
  ...common,
  method: 'GET',
  path: `${route}/{id}`,
  operationId: 'getReplicatePrediction',
  summary: 'Read a prediction',
  scope: 'executions:read',
  params,
  async handle(call) {
    const execution = await findExecution(call.context, call.caller, call.params.id);
    const headers = costHeaders(execution);
    return { status: 200, body: await predictionOf(call, execution), headers };
  },
});

export const postCancelPrediction = endpoint({
  ...common,
  method: 'POST',
  path: `${route}/{id}/cancel`,
  operationId: 'cancelReplicatePrediction',
  summary: 'Cancel a prediction',
  scope: 'executions:write',
  params,
  body: z.looseObject({}),
  async handle(call) {
    const { context, caller, params: of } = call;
    const found = await findExecution(context, caller, of.id);
    // One that has ended stays as it is, as at Replicate.
    const cancelled = isTerminal(found.status)
      ? found
      : await cancelUnlessEnded(context, caller.organizationId, found.id);
    return { status: 200, body: await predictionOf(call, cancelled), headers: costHeaders(cancelled) };
  },
});

const perPage = 100;

export const listPredictions = endpoint({
  ...common,
  method: 'GET',
  path: route,
  operationId: 'listReplicatePredictions',
  summary: 'List predictions',
  scope: 'executions:read',
  query: z.object({
    cursor: z.string().max(200).optional(),
    created_after: timeFilter('Created after'),
    created_before: timeFilter('Created before'),
    source: z.string().optional(),
  }),
  async handle(call) {
    const { context, caller, query, publicUrl } = call;
    const cursor = checkedCursor('exec', query.cursor);
    const search = {
      organizationId: caller.organizationId,
      models: boundModels(caller),
      createdAfter: toDate(query.created_after),
      createdBefore: toDate(query.created_before),
      cursor,
    };
    const isUsable = isUsablePage(cursor);
    const { rows, next } = await context.reader.read(
      caller.organizationId,
      (db) => searchExecutions(db, search, perPage, searchedPerPage.client),
      (page) => page.next !== null || isUsable(page.rows),
    );
    const following = new URLSearchParams({
      ...(query.created_after !== undefined && { created_after: query.created_after }),
      ...(query.created_before !== undefined && { created_before: query.created_before }),
      cursor: next ?? '',
    });
    return pageReply(
      await predictionsOf(call, rows),
      next === null ? null : `${publicUrl}${route}?${following.toString()}`,
    );
  },
});
