import { Readable } from 'node:stream';
import { ApiError, invalidField } from '@holdfast/domain/errors';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Caller } from '../access/identity.ts';
import { type Identity, identityOf } from '../access/identity.ts';
import { mayCall } from '../access/portalCapabilities.ts';
import type { Context } from '../context/context.ts';
import type { Endpoint } from '../context/endpoint.ts';
import { type BodyLimits, readOrStreamBody, streamBody } from '../http/body.ts';
import { type BodyHold, holdUntilSent } from '../http/bodyLimits.ts';
import { sendTable } from '../http/csv.ts';
import type { RawRequest, Reply } from '../http/endpoint.ts';
import { methodNotAllowed, pathNotFound } from '../http/errors.ts';
import { isForm } from '../http/form.ts';
import { findJsonProblem, readJson } from '../http/json.ts';
import { type RequestState, stateOf } from '../http/requestState.ts';
import { validate } from '../http/validate.ts';
import { whenRoom } from './waitForRoom.ts';

type Raw = { request: Request; response: Response };

const nothing = z.strictObject({});

/** Runs the endpoint that a request's route leads to, and sends its reply. @throws ApiError, for `respondError` */
export function endpointHandler(context: Context) {
  return async (request: Request, response: Response): Promise<void> => {
    const state = stateOf(response);
    const { match } = state;
    const identity = identityOf(response);
    const { caller, accessError } = identity;
    if (match.kind === 'unknown') throw pathNotFound();
    if (match.kind === 'wrongMethod') throw methodNotAllowed(match.allowed);
    // The kernel's routes do not know what handlers get.
    const endpoint: Endpoint = match.endpoint;
    const raw = { request, response };
    requireAccess(endpoint, caller, accessError);
    const params = parseParams(endpoint, match.params) as never;
    await endpoint.admit?.({ context, params });
    const holder = holderOf(endpoint, identity, state.address, params);
    const hold = context.bodies.open(...holder);
    let reply: Reply | null;
    try {
      reply = await replyOf(endpoint, { context, params, raw, hold });
    } finally {
      hold.release();
    }
    if (!reply) return;
    noteExecution(response, reply.body);
    const memory = () => context.responses.open(...holder);
    // The client of a refused change would send it again.
    if (!reply.wait) return sendReply(raw, reply, request.method === 'GET' ? memory : null);
    const final = await waited(reply.wait, state);
    if (final) sendEither(raw, final, reply, memory);
  };
}

type Memory = () => BodyHold;

/** The accepted execution, when memory has no room for the whole one: its client can read that later. */
function sendEither(raw: Raw, whole: Reply, accepted: Reply, memory: Memory): void {
  try {
    sendReply(raw, whole, memory);
  } catch (error) {
    if (!(error instanceof ApiError) || accepted.body === null) throw error;
    sendReply(raw, accepted, null);
  }
}

/** Whose memory the body occupies. Who signs in is not known yet, and must not use up what callbacks need. */
function holderOf(
  endpoint: Endpoint,
  { caller, operator }: Identity,
  address: string,
  params: never,
): [holder: string, member?: string] {
  const known = caller?.organizationId ?? operator?.name;
  if (known !== undefined) return [known];
  return endpoint.sender ? ['callbacks', endpoint.sender(params)] : ['anyone', address];
}

/** The time that a client asked to wait does not count as part of the request's duration. */
async function waited<Final>(wait: () => Promise<Final>, state: RequestState): Promise<Final> {
  const startedAt = performance.now();
  try {
    return await wait();
  } finally {
    state.startedAt += performance.now() - startedAt;
  }
}

async function replyOf(
  endpoint: Endpoint,
  { context, params, raw, hold }: { context: Context; params: never; raw: Raw; hold: BodyHold },
): Promise<Reply | null> {
  const { traceparent, publicUrl } = stateOf(raw.response);
  const identity = identityOf(raw.response);
  const { caller } = identity;
  let query: unknown;
  let body: unknown;
  try {
    query = parseQuery(endpoint, raw.request.url);
    body = await whenRoom(context, raw, 'memory', () =>
      readEndpointBody(endpoint, raw, { pace: context.bodyPace, hold }),
    );
  } catch (error) {
    await endpoint.onRefused?.({ context, params, raw, error });
    throw error;
  }
  try {
    return await endpoint.handle({
      context,
      caller: caller as never,
      recheckKey: keyCheck(identity),
      params,
      query: query as never,
      body: body as never,
      headers: raw.request.headers,
      publicUrl,
      traceparent,
      raw,
    });
  } finally {
    if (body instanceof Readable) body.destroy();
  }
}

/** Apart from `replyOf`, for the response may wait with it while the request's body is released. */
function keyCheck({ recheck }: Identity): () => Promise<void> {
  return async () => {
    await recheck?.();
  };
}

function requireAccess(
  { access, scope, allowsTokens, method, path }: Endpoint,
  caller: Caller | null,
  accessError: Error | null,
): void {
  if (access === 'anyone') return;
  if (accessError) throw accessError;
  if (caller?.token && !allowsTokens)
    throw new ApiError('FORBIDDEN', 'An execution token can only read its execution.');
  if (caller?.session && !mayCall(caller.session.capabilities, { method, path }))
    throw new ApiError('FORBIDDEN', 'This session of the portal may not do this.');
  if (scope === 'any' || !caller || caller.scopes.includes(scope)) return;
  const scopes = caller.scopes.map((one) => `\`${one}\``).join(', ');
  throw new ApiError(
    'FORBIDDEN',
    `This endpoint requires the scope \`${scope}\`; the API key has ${scopes}.`,
  );
}

function parseParams({ params }: Endpoint, given: Record<string, string>): unknown {
  if (!params) return given;
  const parsed = params.safeParse(given);
  if (!parsed.success) throw pathNotFound();
  return parsed.data;
}

/** A read that takes no parameters ignores those it gets: none of them can be a misspelled one. So does a callback. */
function parseQuery({ query, method, rawBody }: Endpoint, url: string): unknown {
  const isChange = method !== 'GET' && !rawBody;
  // Nearly all creates have none.
  const schema = query ?? (isChange && url.includes('?') ? nothing : undefined);
  return schema && validate(schema, readQuery(schema, url));
}

/** A parameter without a value is absent: many clients send `?cursor=`. @throws ApiError for a repeated name */
function readQuery({ shape }: z.ZodObject, url: string): Record<string, string> {
  const start = url.indexOf('?');
  const query = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(start < 0 ? '' : url.slice(start + 1))) {
    // `include[]` and its like are lists.
    if (query.has(name) && !name.endsWith('[]'))
      throw invalidField(name, 'INVALID_TYPE', `${name} is given more than once.`);
    query.set(name, value);
  }
  const problem = findJsonProblem(Object.fromEntries(query), '', 1);
  if (problem) throw invalidField(problem.field, problem.code, problem.message);
  return Object.fromEntries(
    [...query].filter(([name, value]) => value !== '' || !Object.hasOwn(shape, name)),
  );
}

async function readEndpointBody(
  endpoint: Endpoint,
  raw: RawRequest,
  limits: Omit<BodyLimits, 'maxBytes'>,
): Promise<unknown> {
  if (endpoint.rawBody) return await readOrStreamBody(raw, { ...limits, ...endpoint.rawBody });
  const { maxFormBytes } = endpoint;
  if (maxFormBytes !== undefined && isForm(raw.request.headers))
    return streamBody(raw, { ...limits, maxBytes: maxFormBytes });
  if (endpoint.method === 'GET' || endpoint.method === 'DELETE') return undefined;
  return validate(endpoint.body ?? nothing, (await readJson(raw, limits, endpoint.maxJsonBytes)) ?? {});
}

/** For the log line and span, also if the client does not wait for the response. */
function noteExecution(response: Response, body: unknown): void {
  const state = stateOf(response);
  const execution = executionIn(body);
  state.executionId ??= execution?.id ?? null;
  state.model = execution?.model ?? null;
}

/** @throws ApiError RATE_LIMITED, SERVICE_UNAVAILABLE, when `memory` has no room for a large response */
function sendReply(
  { request, response }: Raw,
  { status, body, headers = {}, table }: Reply,
  memory: Memory | null,
): void {
  const text = table ? '' : JSON.stringify(body);
  const bytes = Buffer.byteLength(text);
  if (memory && bytes > smallResponseBytes) holdUntilSent(response, bytes, memory());
  response.setHeader('Cache-Control', 'no-store');
  for (const name of Object.keys(headers)) response.setHeader(name, headers[name] ?? '');
  response.statusCode = status;
  if (table) return sendTable(request, response, body, table);
  // As `response.json`, without its settings, negotiation and check for a fresh copy.
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', bytes);
  response.end(text);
}

/** What the kernel takes at once, so that it does not wait for its client here. */
const smallResponseBytes = 64 * 1024;

function executionIn(body: unknown): { id: string; model: string } | null {
  if (body === null || typeof body !== 'object' || !('id' in body) || !('model' in body)) return null;
  const { id, model } = body;
  return typeof id === 'string' && id.startsWith('exec_') ? { id, model: String(model) } : null;
}
