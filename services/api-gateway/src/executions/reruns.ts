import { hash } from 'node:crypto';
import { findByIdempotencyKey } from '@holdfast/db/executions/insert';
import { type Original, readOriginals } from '@holdfast/db/executions/read';
import { ApiError, type ErrorCode } from '@holdfast/domain/errors';
import { limits } from '@holdfast/domain/limits';
import type { Caller } from '../access/identity.ts';
import { requireModel } from '../access/models.ts';
import type { Context } from '../context/context.ts';
import { requestHash } from '../http/requestHeaders.ts';
import { createExecution } from './createExecution.ts';
import type { CreateBody } from './createRequest.ts';

/** A create that repeats this execution. @throws ApiError EXECUTION_ERASED */
export function bodyOf(original: Original): CreateBody {
  const { model, input, metadata, webhookUrl, priority, createdAt, expiresAt } = original;
  if (original.erasedAt) {
    throw new ApiError('EXECUTION_ERASED', 'The execution was erased, and its input with it.');
  }
  const timeoutS = original.runTimeoutS ?? Math.round((expiresAt.getTime() - createdAt.getTime()) / 1000);
  return {
    model,
    input,
    // An item of a batch is priced for its batch.
    priority: priority === 'batch' ? 'low' : priority,
    timeout_seconds: Math.min(Math.max(timeoutS, limits.minTimeoutS), limits.maxTimeoutS),
    ...(metadata && { metadata }),
    ...(webhookUrl && { webhook_url: webhookUrl }),
  };
}

/** A webhook is called, and files are kept, as the compatible API asked that created the original. */
export function termsOf({ webhookDialect, filesForS }: Pick<Original, 'webhookDialect' | 'filesForS'>) {
  return { webhookDialect, filesForS: filesForS ?? undefined };
}

export type Rerun =
  | { kind: 'created' | 'replayed'; id: string; rerunOf: string }
  | { kind: 'skipped'; rerunOf: string; error: ApiError }
  /** The execution is itself a rerun by the same call. */
  | { kind: 'own' };

/** Inputs that are in memory at once. */
const atOnce = 16;

/**
 * Creates an execution for each of these, at most one by one `key`, however often it is called. @throws what would refuse the
 * others as well, such as INSUFFICIENT_BALANCE, after it has created those before
 */
export async function rerunAll(
  context: Context,
  caller: Caller,
  ids: readonly string[],
  request: { key: string; traceparent: string | null },
): Promise<Rerun[]> {
  const reruns: Rerun[] = [];
  for (let at = 0; at < ids.length; at += atOnce) {
    const group = ids.slice(at, at + atOnce);
    const originals = await readOriginals(context.db, caller.organizationId, group);
    const results = await Promise.allSettled(originals.map((one) => rerun(context, caller, one, request)));
    const refused = results.find((result) => result.status === 'rejected');
    if (refused) throw refused.reason;
    reruns.push(...results.flatMap((result) => (result.status === 'fulfilled' ? result.value : [])));
  }
  return reruns;
}

/** What is wrong with one original alone. */
const skippable: ReadonlySet<ErrorCode> = new Set([
  'EXECUTION_ERASED',
  'FILE_FORMAT_UNSUPPORTED',
  'FILE_NOT_FOUND',
  'FORBIDDEN',
  'INPUT_VALIDATION_ERROR',
  'MODEL_UNAVAILABLE',
  'NOT_FOUND',
]);

async function rerun(
  context: Context,
  caller: Caller,
  original: Original,
  { key, traceparent }: { key: string; traceparent: string | null },
): Promise<Rerun> {
  const keyOf = (id: string) => `rerun:${hash('sha256', key)}:${id}`;
  const { id, rerunOf } = original;
  const known = rerunOf && (await findByIdempotencyKey(context.db, caller.organizationId, keyOf(rerunOf)));
  if (known && known.executionId === id) return { kind: 'own' };
  const request = {
    idempotencyKey: keyOf(id),
    requestHash: requestHash({ rerun_of: id }),
    traceparent,
    rerunOf: id,
    terms: termsOf(original),
  };
  try {
    await requireModel(context, caller, original.model);
    const { record, replayed } = await createExecution(context, caller, request, () => bodyOf(original));
    return { kind: replayed ? 'replayed' : 'created', id: record.id, rerunOf: id };
  } catch (error) {
    if (!(error instanceof ApiError) || !skippable.has(error.code)) throw error;
    return { kind: 'skipped', rerunOf: id, error };
  }
}
