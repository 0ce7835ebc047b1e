import { findByIdempotencyKey } from '@holdfast/db/executions/insert';
import { ApiError } from '@holdfast/domain/errors';
import { type Created, replay } from '@holdfast/executions/creator';
import { z } from 'zod';
import { requireModel } from '../../apiKeys/modelAccess.ts';
import type { Context } from '../../context.ts';
import { type CreateBody, createBody, prepareCreate } from '../../executions/createRequest.ts';
import { idempotencyKeyHeader, readIdempotencyKey, requestHash } from '../../executions/idempotencyKey.ts';
import { CreatedExecution } from '../../executions/records.ts';
import { type Caller, type EndpointResponse, endpoint } from '../../http/endpoint.ts';
import { adjust } from '../../money/adjustments.ts';
import { executionLinks } from '../../openapi/links.ts';

const replayHeader = {
  'Idempotent-Replayed': {
    description: '`true` when the `Idempotency-Key` was already used: the body is the original execution',
    schema: { type: 'string', enum: ['true'] },
  },
} as const satisfies EndpointResponse['headers'];

export const postExecution = endpoint({
  method: 'POST',
  path: '/v1/executions',
  operationId: 'createExecution',
  tag: 'Executions',
  summary: 'Create an execution',
  description:
    'Places a hold on the balance and responds at once. Sending the same request with the same `Idempotency-Key` returns the original execution.',
  scope: 'executions:write',
  limit: 'create',
  headers: z.object({
    'Idempotency-Key': idempotencyKeyHeader,
    traceparent: z.string().optional().meta({
      description:
        'Your trace context (W3C Trace Context): the execution joins that trace and its webhooks continue it. Invalid values are ignored',
      example: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    }),
  }),
  body: createBody,
  responses: {
    202: { description: 'Accepted', schema: CreatedExecution, headers: replayHeader, links: executionLinks },
  },
  errors: [
    'FILE_NOT_FOUND',
    'FILE_FORMAT_UNSUPPORTED',
    'INSUFFICIENT_BALANCE',
    'SPEND_LIMIT_REACHED',
    'IDEMPOTENCY_KEY_REUSED',
    'MODEL_UNAVAILABLE',
    'INSUFFICIENT_STORAGE',
  ],
  async handle({ context, caller, body, headers, traceparent }) {
    await requireModel(context, caller, body.model);
    const { REQUIRE_IDEMPOTENCY_KEY } = context.config;
    const key = readIdempotencyKey(headers['idempotency-key'], REQUIRE_IDEMPOTENCY_KEY);
    const { record, replayed } = await withTestBalance(context, caller, () =>
      create(context, caller, body, { idempotencyKey: key, traceparent }),
    );
    return { status: 202, body: record, ...(replayed && { headers: { 'Idempotent-Replayed': 'true' } }) };
  },
});

async function create(
  context: Context,
  caller: Caller,
  body: CreateBody,
  { idempotencyKey, traceparent }: { idempotencyKey: string | null; traceparent: string | null },
): Promise<Created> {
  const { organizationId, apiKeyId } = caller;
  const hash = idempotencyKey === null ? null : requestHash(body);
  const request = { organizationId, apiKeyId, idempotencyKey, requestHash: hash };
  try {
    const { definition, input, estimatedCost } = await prepareCreate(context, organizationId, body);
    return await context.creator.create({
      ...request,
      estimatedCost,
      timeoutS: body.timeout_seconds ?? definition.timeout_s,
      model: body.model,
      input,
      metadata: body.metadata ?? null,
      webhookUrl: body.webhook_url ?? null,
      traceparent,
      ...(body.priority && { priority: body.priority }),
    });
  } catch (error) {
    // An accepted request stays accepted, even if its model or files no longer exist.
    const known = idempotencyKey && (await findByIdempotencyKey(context.db, organizationId, idempotencyKey));
    if (!known) throw error;
    return await replay(context.db, request, known);
  }
}

/** More than all holds of a test organization together. */
const testTopUpAmount = '1000000000';

/** Tops up a test organization that runs out of balance, then runs `run` a second time. */
export async function withTestBalance<Result>(
  context: Context,
  { organizationId, isTest }: Caller,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!isTest || !(error instanceof ApiError) || error.code !== 'INSUFFICIENT_BALANCE') throw error;
  }
  await adjust(context, {
    organizationId,
    kind: 'top_up',
    amount: testTopUpAmount,
    reason: 'test balance',
    idempotencyKey: null,
  });
  return await run();
}
