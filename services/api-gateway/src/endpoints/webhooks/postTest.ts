import { ApiError } from '@holdfast/domain/errors';
import { newId } from '@holdfast/domain/ids';
import { limits } from '@holdfast/domain/limits';
import { type TestCallResult, testCallResult } from '@holdfast/queues/definitions';
import type { Context } from '../../context.ts';
import { endpoint } from '../../http/endpoint.ts';
import { idParams } from '../../http/fields.ts';
import { findEndpoint } from './endpointRecord.ts';

/** The receiver's time, and a little for the way there and back. */
const timeoutMs = limits.webhookTimeoutMs + 5000;

/** Of an organization: the senders make few at a time, and one whose receiver hangs would have them all. */
const mostOpen = 4;
const openBy = new Map<string, number>();

export const postTest = endpoint({
  method: 'POST',
  path: '/v1/webhooks/endpoints/{id}/test',
  tag: 'Webhooks',
  summary: 'Send a test event',
  description:
    'Sends one signed test event now, to inactive endpoints too, and answers what came back. It is not retried and ' +
    'leaves `failure_count` alone. `status_code` is 0 when there was no answer. 429 while four others have none yet.',
  scope: 'webhooks',
  limit: 'other',
  params: idParams('wh', 'id'),
  responses: {
    200: {
      description: 'What the endpoint answered',
      schema: testCallResult.meta({
        id: 'TestCallResult',
        example: { success: true, status_code: 200, response_time_ms: 84 },
      }),
    },
  },
  async handle({ context, caller, params, traceparent }) {
    const { id } = await findEndpoint(context.db, caller.organizationId, params.id);
    const { organizationId } = caller;
    const call = { organizationId, endpointId: id, traceparent };
    const body = await amongFew(organizationId, () => callEndpoint(context, call));
    return { status: 200, body };
  },
});

/** @throws RATE_LIMITED */
async function amongFew<Result>(organizationId: string, work: () => Promise<Result>): Promise<Result> {
  const open = openBy.get(organizationId) ?? 0;
  if (open >= mostOpen) {
    const headers = { 'Retry-After': '10' };
    throw new ApiError('RATE_LIMITED', `${mostOpen} test events wait for their answers already.`, {
      headers,
    });
  }
  openBy.set(organizationId, open + 1);
  try {
    return await work();
  } finally {
    const left = (openBy.get(organizationId) ?? 1) - 1;
    if (left > 0) openBy.set(organizationId, left);
    else openBy.delete(organizationId);
  }
}

/** @throws SERVICE_UNAVAILABLE when no webhook-sender answers in time */
async function callEndpoint(
  { testCalls, log }: Context,
  call: { organizationId: string; endpointId: string; traceparent: string | null },
): Promise<TestCallResult> {
  try {
    return testCallResult.parse(await testCalls.request({ requestId: newId('req'), ...call }, timeoutMs));
  } catch (error) {
    log.warn({ err: error, endpointId: call.endpointId }, 'a test call was not answered');
    const headers = { 'Retry-After': '2' };
    throw new ApiError('SERVICE_UNAVAILABLE', 'The test event could not be sent just now.', { headers });
  }
}
