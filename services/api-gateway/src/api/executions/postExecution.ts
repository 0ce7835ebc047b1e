import type { ServerResponse } from 'node:http';
import { isTerminal } from '@holdfast/domain/statuses';
import type { Created } from '@holdfast/executions/creator';
import { z } from 'zod';
import { operatorKeyId } from '../../access/callers.ts';
import { type Caller } from '../../access/identity.ts';
import { requireModel } from '../../access/models.ts';
import type { Context } from '../../context/context.ts';
import { endpoint } from '../../context/endpoint.ts';
import { createExecution } from '../../executions/createExecution.ts';
import { createBody } from '../../executions/createRequest.ts';
import { findExecution } from '../../executions/readable.ts';
import {
  CreatedExecution,
  ExecutionDetails,
  exampleCreated,
  executionDetails,
  executionUrls,
} from '../../executions/records.ts';
import { type EndpointResponse, linkTo, type Reply } from '../../http/endpoint.ts';
import {
  idempotencyKeyHeader,
  maxWaitS,
  preferredWaitS,
  readIdempotencyKey,
  requestHash,
} from '../../http/requestHeaders.ts';

const acceptedHeaders = {
  Location: {
    description: 'The URL of the execution, as in `urls`',
    schema: { type: 'string', examples: [executionUrls('https://api.example.com', exampleCreated.id).self] },
  },
  'Preference-Applied': {
    description: '`wait=` and the seconds, when the response waited as `Prefer` requested',
    schema: { type: 'string', examples: ['wait=30'] },
  },
  'Idempotent-Replayed': {
    description: '`true` when the `Idempotency-Key` was already used: the body is the original execution',
    schema: { type: 'string', enum: ['true'] },
  },
} satisfies EndpointResponse['headers'];

const executionLinks = {
  read: linkTo('getExecution', 'id', 'Its status and, once completed, its result'),
  follow: linkTo('streamExecutionEvents', 'id', 'Its events as they happen'),
  result: linkTo('getExecutionResult', 'id', 'Its result, once completed'),
  cancel: linkTo('cancelExecution', 'id', 'Cancels it'),
} satisfies EndpointResponse['links'];

export const postExecution = endpoint({
  method: 'POST',
  path: '/v1/executions',
  operationId: 'createExecution',
  tag: 'Executions',
  summary: 'Create an execution',
  description:
    'Places a hold on the balance and responds at once. Sending the same request with the same `Idempotency-Key` returns the original execution. `Prefer: wait=N` waits up to N seconds for the end and returns the whole execution, still with 202: `status` says whether it has ended.',
  scope: 'executions:write',
  limit: 'create',
  headers: z.object({
    'Idempotency-Key': idempotencyKeyHeader,
    Prefer: z
      .string()
      .optional()
      .meta({
        description: `\`wait=N\` (RFC 7240) waits up to N seconds, at most ${maxWaitS}, for the execution to end; \`wait\` alone waits that long. Needs the scope \`executions:read\``,
        example: 'wait=30',
      }),
    traceparent: z.string().optional().meta({
      description:
        'Your trace context (W3C Trace Context): the execution joins that trace and its webhooks continue it. Invalid values are ignored',
      example: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    }),
  }),
  body: createBody,
  responses: {
    202: {
      description: 'Accepted: the create fields or, after waiting as `Prefer` requested, the whole execution',
      schema: z.union([ExecutionDetails, CreatedExecution]),
      headers: acceptedHeaders,
      links: executionLinks,
    },
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
  async handle({ context, caller, recheckKey, body, headers, traceparent, publicUrl, raw: { response } }) {
    await requireModel(context, caller, body.model);
    const { REQUIRE_IDEMPOTENCY_KEY } = context.config;
    const key = readIdempotencyKey(headers['idempotency-key'], REQUIRE_IDEMPOTENCY_KEY);
    const request = { idempotencyKey: key, traceparent, requestHash: key && requestHash(body) };
    const { record, replayed } = await createExecution(context, caller, request, () => body);
    const urls = {
      ...executionUrls(publicUrl, record.id),
      ...(body.stream && streamUrl(context, caller, record, publicUrl)),
    };
    const accepted: Reply = {
      status: 202,
      body: { ...record, urls },
      headers: { Location: urls.self, ...(replayed && { 'Idempotent-Replayed': 'true' }) },
    };
    const waitS = preferredWaitS(headers['prefer']);
    if (waitS === 0 || !caller.scopes.includes('executions:read')) return accepted;
    return {
      ...accepted,
      wait: waiting({ context, caller, recheckKey, record, urls, accepted, waitS, publicUrl, response }),
    };
  },
});

const hourMs = 3_600_000;

/** Operators and portal sessions have no API key that a token could be bound to. */
function streamUrl(
  { tokens }: Context,
  { apiKeyId, session }: Caller,
  { id, expires_at }: Created['record'],
  publicUrl: string,
): { stream: string } | null {
  if (session !== null || apiKeyId === operatorKeyId) return null;
  const expiresAtMs = Date.parse(expires_at) + hourMs;
  const token = tokens.sign({ executionId: id, apiKeyId, expiresAtMs, mayCancel: true });
  return { stream: `${executionUrls(publicUrl, id).stream}?token=${token}` };
}

type Waiting = {
  context: Context;
  caller: Caller;
  recheckKey: () => Promise<void>;
  record: Created['record'];
  /** With the token of a stream. */
  urls: object;
  accepted: Reply;
  waitS: number;
  publicUrl: string;
  response: ServerResponse;
};

/**
 * Waits for the end and gives the execution as it is then. The request is accepted, so nothing that fails from now on may
 * hide its id: the response is that without the preference. Apart from `handle`, whose closures keep the body.
 */
function waiting(args: Waiting) {
  const { context, caller, recheckKey, record, urls, accepted, waitS, publicUrl, response } = args;
  return async (): Promise<Reply | null> => {
    const known = { ...record, organizationId: caller.organizationId };
    const hasWaited = await context.watcher.waitForEnd(known, waitS * 1000, response);
    if (response.destroyed) return null;
    if (!hasWaited && !isTerminal(record.status)) return accepted;
    try {
      await recheckKey();
      const execution = await findExecution(context, caller, record.id);
      const headers = { ...accepted.headers, 'Preference-Applied': `wait=${waitS}` };
      return { status: 202, body: { ...executionDetails(execution, publicUrl), urls }, headers };
    } catch (error) {
      context.log.warn({ err: error, executionId: record.id }, 'could not read an execution after waiting');
      return accepted;
    }
  };
}
