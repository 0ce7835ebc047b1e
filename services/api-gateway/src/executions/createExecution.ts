import { findByIdempotencyKey } from '@holdfast/db/executions/insert';
import { ApiError } from '@holdfast/domain/errors';
import { type Created, type FaceTerms, replay } from '@holdfast/executions/creator';
import { isOperator } from '../access/callers.ts';
import type { Caller } from '../access/identity.ts';
import type { Context } from '../context/context.ts';
import { adjust } from '../money/adjustments.ts';
import { type CreateBody, prepareCreate } from './createRequest.ts';

type NewRequest = {
  idempotencyKey: string | null;
  /** Hash of what a request with the same key must repeat; null without a key. */
  requestHash: string | null;
  traceparent: string | null;
  rerunOf?: string;
  terms?: FaceTerms;
};

/**
 * Creates an execution; a test organization that runs out of balance is topped up. @throws what `read` throws, unless a request
 * with the same idempotency key was accepted before
 */
export async function createExecution(
  context: Context,
  caller: Caller,
  request: NewRequest,
  read: () => CreateBody | Promise<CreateBody>,
): Promise<Created> {
  return await withTestBalance(context, caller, () => create(context, caller, request, read));
}

async function create(
  context: Context,
  caller: Caller,
  { idempotencyKey, requestHash, traceparent, rerunOf, terms }: NewRequest,
  read: () => CreateBody | Promise<CreateBody>,
): Promise<Created> {
  const { organizationId, apiKeyId } = caller;
  const request = { organizationId, apiKeyId, idempotencyKey, requestHash };
  try {
    const body = await read();
    // Bulk requests run many executions again: none of them is a test of a model.
    const isTestRun = isOperator(caller) && rerunOf === undefined;
    const prepared = await prepareCreate(context, caller, body, { isTestRun });
    const { definition, version, input, estimatedCost } = prepared;
    return await context.creator.create({
      ...request,
      ...terms,
      estimatedCost,
      timeoutS: body.timeout_seconds ?? definition.timeout_s,
      model: body.model,
      modelVersion: version,
      input,
      metadata: body.metadata ?? null,
      webhookUrl: body.webhook_url ?? null,
      traceparent,
      rerunOf: rerunOf ?? null,
      onCancel: (body.stream && definition.on_cancel) || null,
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
async function withTestBalance<Result>(
  context: Context,
  { organizationId, isTest }: Caller,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!isTest || !(error instanceof ApiError) || error.code !== 'INSUFFICIENT_BALANCE') throw error;
  }
  await topUpTest(context, organizationId, null);
  return await run();
}

export async function topUpTest(
  context: Context,
  organizationId: string,
  idempotencyKey: string | null,
): Promise<void> {
  const reason = 'test balance';
  await adjust(context, { organizationId, kind: 'top_up', amount: testTopUpAmount, reason, idempotencyKey });
}
