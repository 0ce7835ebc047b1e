import { hash as digest } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type FaceRequest, findEndedS, type KnownRequest, touchFaceRequest } from '@holdfast/db/faceRequests';
import type { Execution } from '@holdfast/domain/execution';
import type { FaceTerms } from '@holdfast/executions/creator';
import type { Caller } from '../access/identity.ts';
import type { Context } from '../context/context.ts';
import { createExecution } from '../executions/createExecution.ts';
import type { CreateBody } from '../executions/createRequest.ts';
import { findExecution } from '../executions/readable.ts';
import { findKnown, noteDelivery } from './delivery.ts';
import { isTimeToRepeat } from './silentRepeaters.ts';

/** A request whose response did not arrive can be repeated for this time after its last try or the end of its run. */
const joinForS = 120;
/** A client that says that it retries may have lost a response on the way, after it was written whole. */
const retryJoinForS = 30;

export type FaceCreate = {
  context: Context;
  caller: Caller;
  /** Such as `POST /v1/openai/chat/completions`. */
  route: string;
  /** The hash of the body as the client sent it, which a repetition repeats. */
  hash: string;
  idempotencyKey: string | null;
  /** Whether the client says that it repeats a request. */
  isRetry: boolean;
  traceparent: string | null;
  terms?: FaceTerms;
  response: ServerResponse;
  /** @throws ApiError */
  read(): CreateBody | Promise<CreateBody>;
};

export type Joined = {
  execution: Pick<Execution, 'id' | 'status'> & { holdAmount: string };
  isJoined: boolean;
};

/**
 * Creates an execution, or joins the one of an equal request whose response did not arrive (ADR 62). Twins whose
 * responses arrived are two executions: the same prompt twice is legitimate.
 */
export async function createOrJoin(request: FaceCreate): Promise<Joined> {
  const { context, caller, route, hash, idempotencyKey } = request;
  if (idempotencyKey !== null) return await create(request, idempotencyKey);
  const identity = { apiKeyId: caller.apiKeyId, route, hash };
  const known = await findKnown(request, identity);
  const joined = known && mayJoin(known, request) ? await join(request, known) : null;
  const result = joined ?? (await createAfter(request, identity, known?.executionId ?? ''));
  const touched = touchFaceRequest(context.db, identity, result.execution.id);
  noteDelivery(request, identity, result.execution.id, touched);
  // Until then, an earlier response counts as delivered. A create has no earlier one.
  if (result.isJoined) await touched.catch(() => {});
  return result;
}

function mayJoin(
  { hasEnded, deliveredS, closedS, tries, idleS }: Omit<KnownRequest, 'executionId'>,
  { isRetry, response }: Pick<FaceCreate, 'isRetry' | 'response'>,
): boolean {
  if (deliveredS === null) return !hasEnded || idleS < joinForS;
  if (isRetry && deliveredS < retryJoinForS) return true;
  // A client whose connection closed right after a response has lost it, and repeats its request when it always does.
  return closedS !== null && isTimeToRepeat(response.req, { deliveredS, closedS, tries });
}

async function join({ context, caller }: FaceCreate, { executionId }: KnownRequest): Promise<Joined> {
  const { id, status, holdAmount } = await findExecution(context, caller, executionId);
  return { execution: { id, status, holdAmount }, isJoined: true };
}

/**
 * Twins that know of the same execution before them have the same key: one of them creates, and the other gets that one. What
 * ended long ago is no twin's, but from before its row was removed, or of a gateway that died before it wrote one.
 */
async function createAfter(request: FaceCreate, identity: FaceRequest, before: string): Promise<Joined> {
  const result = await create(request, keyOf(identity, before));
  if (!result.isJoined) return result;
  const endedS = await findEndedS(request.context.db, result.execution.id);
  if (endedS === null || endedS < joinForS) return result;
  return await createAfter(request, identity, result.execution.id);
}

/** Creates an execution, or finds the one of this key. @throws ApiError */
export async function create(request: FaceCreate, idempotencyKey: string): Promise<Joined> {
  const { context, caller, hash, traceparent, terms = {}, read } = request;
  const { record, replayed } = await createExecution(
    context,
    caller,
    { idempotencyKey, traceparent, requestHash: hash, terms },
    read,
  );
  const { id, status, hold_amount: holdAmount } = record;
  return { execution: { id, status, holdAmount }, isJoined: replayed };
}

function keyOf({ apiKeyId, route, hash: body }: FaceRequest, before: string): string {
  return `face_${digest('sha256', [apiKeyId, route, body, before].join(' '))}`;
}
