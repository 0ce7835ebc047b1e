import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { ApiError } from '@holdfast/domain/errors';
import type { Execution } from '@holdfast/domain/execution';
import { formatMoney, MoneyDecimal } from '@holdfast/domain/money';
import type { FaceTerms } from '@holdfast/executions/creator';
import type { Caller } from '../access/identity.ts';
import type { Context } from '../context/context.ts';
import type { CreateBody } from '../executions/createRequest.ts';
import { findExecution } from '../executions/readable.ts';
import type { Reply } from '../http/endpoint.ts';
import { readIdempotencyKey, requestHash } from '../http/requestHeaders.ts';
import { createChoices } from './choices.ts';
import type { Joined } from './join.ts';

/** What a handler of a face has. */
export type FaceCall = {
  context: Context;
  caller: Caller;
  recheckKey(): Promise<void>;
  headers: IncomingHttpHeaders;
  traceparent: string | null;
  raw: { response: ServerResponse };
  terms?: FaceTerms;
};

/** `choices`: the executions of a request, of which `execution` is the first. */
export type Created = Joined & {
  choices: [Joined['execution'], ...Joined['execution'][]];
  headers: Record<string, string>;
};

/** Creates an execution for each choice, or joins those of an equal request (faces/join.ts). */
export async function createFrom(
  { context, caller, headers, traceparent, terms = {}, raw: { response } }: FaceCall,
  route: string,
  body: unknown,
  read: () => CreateBody | Promise<CreateBody>,
  count = 1,
): Promise<Created> {
  const request = {
    context,
    caller,
    route,
    hash: requestHash(body),
    idempotencyKey: readIdempotencyKey(headers['idempotency-key'], false),
    isRetry: Number(headers['x-stainless-retry-count'] ?? 0) >= 1,
    traceparent,
    terms,
    response,
    read,
  };
  const [first, ...others] = await createChoices(request, count);
  const choices: Created['choices'] = [first.execution, ...others.map(({ execution }) => execution)];
  // Files of the request are of use to what it has created.
  const isJoined = [first, ...others].every((one) => one.isJoined);
  return {
    execution: first.execution,
    choices,
    isJoined,
    headers: {
      'Holdfast-Execution': choices.map(({ id }) => id).join(', '),
      'Holdfast-Hold': totalOf(choices.map(({ holdAmount }) => holdAmount)),
      ...(isJoined && { 'Holdfast-Joined': 'true' }),
    },
  };
}

function totalOf(amounts: readonly string[]): string {
  return formatMoney(amounts.reduce((sum, amount) => sum.plus(amount), new MoneyDecimal(0)));
}

/** Waits for the end. Null: the client is gone. @throws ApiError the error of an execution that did not complete, or a timeout that the client may repeat */
export async function completed(call: FaceCall, created: Created): Promise<Execution | null> {
  return (await completedChoices(call, created))?.[0] ?? null;
}

/** Waits for all, and leaves out failed ones. Null: the client is gone. @throws ApiError if none completed, or one still runs */
async function completedChoices(
  call: FaceCall,
  { choices, headers }: Created,
): Promise<[Execution, ...Execution[]] | null> {
  const { context, caller, recheckKey, raw } = call;
  const untilMs = performance.now() + context.config.COMPATIBLE_WAIT_S * 1000;
  const find = ({ id }: Joined['execution']) => findExecution(context, caller, id);
  for (const [index, choice] of choices.entries()) {
    // A later one may have ended by now.
    const { id, status } = index === 0 ? choice : await find(choice);
    const known = { id, status, organizationId: caller.organizationId };
    await context.watcher.waitForEnd(known, Math.max(0, untilMs - performance.now()), raw.response);
  }
  if (raw.response.destroyed) return null;
  await recheckKey();
  const ended = await Promise.all(choices.map(find));
  const [first, ...others] = ended.filter(({ status }) => status === 'COMPLETED');
  const running = ended.find(({ completedAt }) => completedAt === null);
  if (first && !running) return [first, ...others];
  return [requireCompleted(running ?? (ended[0] as Execution), headers)];
}

const notYet =
  'The execution has not ended yet. Repeat the request to go on waiting for it: it is not charged twice.';

/** The error of an execution that did not complete. */
export class FailedRun extends ApiError {
  readonly execution: Execution;

  constructor(execution: Execution, headers: Record<string, string>) {
    const { status, errorCode, errorMessage } = execution;
    const message = status === 'CANCELLED' ? 'The execution was cancelled.' : (errorMessage ?? '');
    super(errorCode ?? 'GENERATION_FAILED', message, { headers: { ...headers, 'x-should-retry': 'false' } });
    this.execution = execution;
  }
}

/** @throws ApiError */
export function requireCompleted(execution: Execution, headers: Record<string, string>): Execution {
  const { status, completedAt } = execution;
  if (status === 'COMPLETED') return execution;
  if (completedAt === null)
    throw new ApiError('GENERATION_TIMEOUT', notYet, {
      headers: { ...headers, 'x-should-retry': 'true', 'retry-after-ms': '1000' },
    });
  throw new FailedRun(execution, headers);
}

type Completed<Body> = (first: Execution, ...others: Execution[]) => Promise<Body>;

/**
 * The reply to a request that waits for its executions. `reply` must not refer to the request's body, which is released
 * before the wait; it returns null if it wrote the response.
 */
export function whenCompleted(call: FaceCall, created: Created, reply: Completed<object | null>): Reply {
  const wait = async (): Promise<Reply | null> => {
    const executions = await completedChoices(call, created);
    if (executions === null) return null;
    const headers = { ...created.headers, ...costHeaders(...executions) };
    call.raw.response.setHeaders(new Map(Object.entries(headers)));
    const body = await reply(...executions);
    return body === null ? null : { status: 200, body };
  };
  return { status: 200, body: null, wait };
}

export function costHeaders(...executions: Execution[]): Record<string, string> {
  const costs = executions.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  return costs.length === 0 ? {} : { 'Holdfast-Cost': totalOf(costs) };
}
