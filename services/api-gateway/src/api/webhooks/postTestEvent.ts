import type { WebhookEndpointRow } from '@holdfast/db/webhooks/endpoints';
import { isNamedIn } from '@holdfast/domain/endpointDialects';
import { ApiError, invalidField } from '@holdfast/domain/errors';
import { type SubscribableType, subscribableTypes } from '@holdfast/domain/events';
import { newId } from '@holdfast/domain/ids';
import { limits } from '@holdfast/domain/limits';
import { type TestCallResult, type TestEvent, testCallResult } from '@holdfast/queues/definitions';
import { z } from 'zod';
import type { Context } from '../../context/context.ts';
import { endpoint } from '../../context/endpoint.ts';
import { idParams } from '../../http/fields.ts';
import { exampleEvents } from '../events/exampleEvents.ts';
import { findEndpoint } from './endpointRecord.ts';

/** The receiver's timeout plus the way through the queue. */
const timeoutMs = limits.webhookTimeoutMs + 5000;

/** Per organization: one with hanging receivers must not occupy all senders. */
const maxOpen = 4;
const openByOrganization = new Map<string, number>();

const plainTest = 'webhook.test';

const TestEventRequest = z
  .strictObject({
    type: z
      .enum([plainTest, ...subscribableTypes])
      .default(plainTest)
      .meta({ description: 'The type of the event', example: 'execution.completed' }),
  })
  .meta({ id: 'TestEventRequest' });

/** As the endpoint would get it. @throws INPUT_VALIDATION_ERROR for a type that its dialect leaves out */
function eventTo({ dialect, payload }: WebhookEndpointRow, type: SubscribableType): TestEvent {
  if (!isNamedIn(dialect, type))
    throw invalidField('type', 'INVALID', `Endpoints of the dialect ${dialect} receive no ${type}.`);
  const { about, data } = exampleEvents[type];
  if (payload === 'full' || !('execution_id' in about)) return { type, about, data };
  return { type, about, data: { id: data['id'], status: data['status'] } };
}

export const postTestEvent = endpoint({
  method: 'POST',
  path: '/v1/webhooks/endpoints/{id}/test',
  operationId: 'testWebhookEndpoint',
  tag: 'Webhooks',
  summary: 'Send a test event',
  description:
    'Sends one signed test event at once, also to inactive endpoints, and returns the result: `webhook.test`, or the example ' +
    'of another `type` with `"test": true`. It is not retried and does not change `failure_count`. `status_code` is 0 when there was no response. 429 while four test events of your ' +
    'organization are in flight.',
  scope: 'webhooks',
  limit: 'other',
  params: idParams('wh', 'id'),
  body: TestEventRequest,
  responses: {
    200: {
      description: 'The response of the endpoint',
      schema: testCallResult.meta({
        id: 'TestCallResult',
        example: { success: true, status_code: 200, response_time_ms: 84 },
      }),
    },
  },
  async handle({ context, caller, params, body: { type }, traceparent }) {
    const { organizationId } = caller;
    const to = await findEndpoint(context.db, organizationId, params.id);
    const event = type === plainTest ? {} : { event: eventTo(to, type) };
    const call = { organizationId, endpointId: to.id, traceparent, ...event };
    const body = await withTestSlot(organizationId, () => callEndpoint(context, call));
    return { status: 200, body };
  },
});

/** @throws RATE_LIMITED */
async function withTestSlot<Result>(organizationId: string, run: () => Promise<Result>): Promise<Result> {
  const open = openByOrganization.get(organizationId) ?? 0;
  if (open >= maxOpen) {
    const headers = { 'Retry-After': '10' };
    throw new ApiError('RATE_LIMITED', `At most ${maxOpen} test events may be in flight at once.`, {
      headers,
    });
  }
  openByOrganization.set(organizationId, open + 1);
  try {
    return await run();
  } finally {
    const remaining = (openByOrganization.get(organizationId) ?? 1) - 1;
    if (remaining > 0) openByOrganization.set(organizationId, remaining);
    else openByOrganization.delete(organizationId);
  }
}

/** @throws SERVICE_UNAVAILABLE when no webhook-sender responds in time */
async function callEndpoint(
  { testCalls, log }: Context,
  call: { organizationId: string; endpointId: string; traceparent: string | null; event?: TestEvent },
): Promise<TestCallResult> {
  try {
    return testCallResult.parse(await testCalls.request({ requestId: newId('req'), ...call }, timeoutMs));
  } catch (error) {
    log.warn({ err: error, endpointId: call.endpointId }, 'no webhook-sender responded to a test call');
    const headers = { 'Retry-After': '2' };
    throw new ApiError('SERVICE_UNAVAILABLE', 'The test event could not be sent. Try again shortly.', {
      headers,
    });
  }
}
