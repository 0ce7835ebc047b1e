import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { ApiError } from '@holdfast/domain/errors';
import type { Execution } from '@holdfast/domain/execution';
import { formatMoney } from '@holdfast/domain/money';
import type { WebhookDialect } from '@holdfast/domain/webhookDialect';
import type { Caller } from '../access/identity.ts';
import type { Context } from '../context/context.ts';
import type { CreateBody } from '../executions/createRequest.ts';
import { findExecution } from '../executions/readable.ts';
import type { Reply } from '../http/endpoint.ts';
import { readIdempotencyKey } from '../http/requestHeaders.ts';
import { createOrJoin, type Joined } from './join.ts';

/** What a handler of a face has. */
export type FaceCall = {
  context: Context;
  caller: Caller;
  recheckKey(): Promise<void>;
  headers: IncomingHttpHeaders;
  traceparent: string | null;
  raw: { response: ServerResponse };
  /** How a `webhook_url` is called; absent: as `/v1` calls it. */
  webhookDialect?: WebhookDialect | null;
};

export type Created = Joined & { headers: Record<string, string> };

/** Creates an execution, or joins the one of an equal request (faces/join.ts). */
export async function createFrom(
  { context, caller, headers, traceparent, webhookDialect = null, raw: { response } }: FaceCall,
  route: string,
  body: unknown,
  read: () => CreateBody | Promise<CreateBody>,
): Promise<Created> {
  const joined = await createOrJoin({
    context,
    caller,
    route,
    body,
    idempotencyKey: readIdempotencyKey(headers['idempotency-key'], false),
    isRetry: Number(headers['x-stainless-retry-count'] ?? 0) >= 1,
    traceparent,
    webhookDialect,
    response,
    read,
  });
  const { id, holdAmount } = joined.execution;
  return {
    ...joined,
    headers: {
      'Holdfast-Execution': id,
      'Holdfast-Hold': formatMoney(holdAmount),
      ...(joined.isJoined && { 'Holdfast-Joined': 'true' }),
    },
  };
}

/** Waits for the end. Null: the client is gone. @throws ApiError the error of an execution that did not complete, or a timeout that the client may repeat */
export async function completed(call: FaceCall, { execution, headers }: Created): Promise<Execution | null> {
  const { context, caller, recheckKey, raw } = call;
  const known = { ...execution, organizationId: caller.organizationId };
  await context.watcher.waitForEnd(known, context.config.COMPATIBLE_WAIT_S * 1000, raw.response);
  if (raw.response.destroyed) return null;
  await recheckKey();
  const ended = await findExecution(context, caller, execution.id);
  return requireCompleted(ended, headers);
}

const notYet =
  'The execution has not ended yet. Repeat the request to go on waiting for it: it is not charged twice.';

/** @throws ApiError */
export function requireCompleted(execution: Execution, headers: Record<string, string>): Execution {
  const { status, completedAt, errorCode, errorMessage } = execution;
  if (status === 'COMPLETED') return execution;
  if (completedAt === null)
    throw new ApiError('GENERATION_TIMEOUT', notYet, {
      headers: { ...headers, 'x-should-retry': 'true', 'retry-after-ms': '1000' },
    });
  const message = status === 'CANCELLED' ? 'The execution was cancelled.' : (errorMessage ?? '');
  throw new ApiError(errorCode ?? 'GENERATION_FAILED', message, {
    headers: { ...headers, 'x-should-retry': 'false' },
  });
}

/**
 * The reply to a request that waits for its execution. `reply` must not refer to the request's body, which is released
 * before the wait; it returns null if it wrote the response.
 */
export function whenCompleted(
  call: FaceCall,
  created: Created,
  reply: (execution: Execution) => Promise<object | null>,
): Reply {
  const wait = async (): Promise<Reply | null> => {
    const execution = await completed(call, created);
    if (execution === null) return null;
    call.raw.response.setHeaders(new Map(Object.entries({ ...created.headers, ...costHeaders(execution) })));
    const body = await reply(execution);
    return body === null ? null : { status: 200, body };
  };
  return { status: 200, body: null, wait };
}

export function costHeaders({ cost }: Execution): Record<string, string> {
  return cost === null ? {} : { 'Holdfast-Cost': formatMoney(cost) };
}
