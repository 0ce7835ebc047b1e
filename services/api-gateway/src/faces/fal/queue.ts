import { ApiError } from '@holdfast/domain/errors';
import { limits } from '@holdfast/domain/limits';
import { isTerminal } from '@holdfast/domain/statuses';
import { cancelUnlessEnded } from '@holdfast/executions/lifecycle';
import { z } from 'zod';
import { endpoint } from '../../context/endpoint.ts';
import { findExecution } from '../../executions/readable.ts';
import type { Reply } from '../../http/endpoint.ts';
import { fileLimits } from '../requestFiles.ts';
import { costHeaders, requireCompleted } from '../run.ts';
import { requireApp } from './apps.ts';
import { requestIdHeader } from './errors.ts';
import { outputOf } from './output.ts';
import { statusOf, urlsOf } from './status.ts';
import { type FalCall, submit } from './submit.ts';

const request = '/v1/fal/queue/{app}/requests/{id}';
const common = {
  tag: 'fal',
  limit: 'other',
  params: z.object({ app: z.string(), id: z.string() }),
  responses: { 200: { description: 'As fal gives it', schema: null } },
} as const;

export const postQueue = endpoint({
  method: 'POST',
  path: '/v1/fal/queue/{app}',
  operationId: 'submitFalRequest',
  tag: 'fal',
  summary: 'Submit a request to the queue',
  scope: 'executions:write',
  limit: 'create',
  maxJsonBytes: fileLimits.maxJsonBytes,
  params: z.object({ app: z.string() }),
  query: z.object({ fal_webhook: z.string().max(limits.urlLength).optional() }),
  body: z.looseObject({}),
  responses: common.responses,
  async handle({ params, query, body, ...call }) {
    const definition = await requireApp(call.context, call.caller, params.app);
    const { execution, headers } = await submit(call, {
      route: 'POST /v1/fal/queue',
      definition,
      input: body,
      webhookUrl: query.fal_webhook,
    });
    const urls = urlsOf(call.publicUrl, params.app, execution.id);
    return { status: 200, body: { status: 'IN_QUEUE', queue_position: 0, logs: [], ...urls }, headers };
  },
});

const readStatus = z.object({ logs: z.string().optional() });

export const wantsLogs = (logs: string | undefined) => ['1', 'true'].includes(logs?.toLowerCase() ?? '');

export const getStatus = endpoint({
  ...common,
  method: 'GET',
  path: `${request}/status`,
  operationId: 'getFalStatus',
  summary: 'Read the status of a request',
  scope: 'executions:read',
  query: readStatus,
  async handle({ context, caller, params, query, publicUrl }) {
    const execution = await findExecution(context, caller, params.id);
    const body = statusOf(execution, urlsOf(publicUrl, params.app, execution.id), wantsLogs(query.logs));
    return { status: 200, body, headers: { [requestIdHeader]: execution.id, ...costHeaders(execution) } };
  },
});

/** The output of a request, or the error with which it ended: its status says only that it has. */
async function result(
  call: Pick<FalCall, 'context' | 'caller' | 'publicUrl' | 'raw'>,
  id: string,
): Promise<Reply> {
  const execution = await findExecution(call.context, call.caller, id);
  call.raw.response.setHeader(requestIdHeader, execution.id);
  if (!isTerminal(execution.status))
    throw new ApiError('EXECUTION_NOT_READY', 'Request is still in progress');
  if (execution.erasedAt !== null) throw new ApiError('EXECUTION_ERASED', 'The output was erased.');
  const completed = requireCompleted(execution, {});
  return { status: 200, body: await outputOf(call, completed), headers: costHeaders(completed) };
}

export const getFalResult = endpoint({
  ...common,
  method: 'GET',
  path: request,
  operationId: 'getFalResult',
  summary: 'Read the result of a request',
  scope: 'executions:read',
  handle: (call) => result(call, call.params.id),
});

/** As fal's newer URLs name it. */
export const getFalResponse = endpoint({
  ...common,
  method: 'GET',
  path: `${request}/response`,
  operationId: 'getFalResponse',
  summary: 'Read the result of a request',
  scope: 'executions:read',
  handle: (call) => result(call, call.params.id),
});

const ended: Reply = { status: 400, body: { status: 'ALREADY_COMPLETED', detail: 'The request has ended.' } };

export const putCancel = endpoint({
  ...common,
  method: 'PUT',
  path: `${request}/cancel`,
  operationId: 'cancelFalRequest',
  summary: 'Cancel a request',
  scope: 'executions:write',
  body: z.looseObject({}),
  async handle({ context, caller, params }) {
    const { id, status } = await findExecution(context, caller, params.id);
    if (isTerminal(status)) return ended;
    const now = await cancelUnlessEnded(context, caller.organizationId, id);
    if (now.status !== 'CANCELLED') return ended;
    return {
      status: 202,
      body: { status: 'CANCELLATION_REQUESTED' },
      headers: { [requestIdHeader]: id },
    };
  },
});
