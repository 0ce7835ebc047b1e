import { Readable } from 'node:stream';
import { ApiError, invalidField } from '@holdfast/domain/errors';
import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { type BodyTerms, readOrStreamBody } from './body.ts';
import type { BodyHold } from './bodyLimits.ts';
import { sendTable } from './csv.ts';
import type { Caller, Endpoint, RawRequest, Reply } from './endpoint.ts';
import { checkJson, readJson } from './json.ts';
import { type RequestState, stateOf } from './requestState.ts';
import { validate } from './validate.ts';

const nothing = z.strictObject({});

/** Answers a request by the endpoint that its route leads to. @throws ApiError, to be answered by `respondError` */
export function runEndpoint(context: Context): RequestHandler {
  return async (request, response) => {
    const state = stateOf(response);
    const { match, caller, refusal } = state;
    if (match.kind === 'unknown') throw new ApiError('NOT_FOUND', 'There is nothing at this path.');
    if (match.kind === 'wrongMethod') {
      const headers = { Allow: match.allowed.join(', ') };
      throw new ApiError('METHOD_NOT_ALLOWED', `Allowed here: ${headers.Allow}.`, { headers });
    }
    requireAccess(match.endpoint, caller, refusal);
    const params = readParams(match.endpoint, match.params) as never;
    await match.endpoint.admit?.({ context, params });
    const hold = context.bodies.open(caller?.organizationId ?? state.operator ?? 'callbacks');
    try {
      const reply = await replyTo(
        { context, state, hold, params, raw: { request, response } },
        match.endpoint,
      );
      if (reply) send(request, response, reply);
    } finally {
      hold.release();
    }
  };
}

type Asked = { context: Context; state: RequestState; hold: BodyHold; params: never; raw: Raw };
type Raw = { request: Request; response: Response };

async function replyTo(
  { context, state, hold, params, raw }: Asked,
  endpoint: Endpoint,
): Promise<Reply | null> {
  const terms = { pace: context.bodyPace, hold };
  const { query, body } = await inputOf(endpoint, raw, terms).catch(async (error: unknown) => {
    await endpoint.refused?.({ context, params, raw, error });
    throw error;
  });
  try {
    return await endpoint.handle({
      context,
      caller: state.caller as never,
      params,
      query: query as never,
      body: body as never,
      headers: raw.request.headers,
      traceparent: state.traceparent,
      raw,
    });
  } finally {
    if (body instanceof Readable) body.destroy();
  }
}

function requireAccess({ access, scope }: Endpoint, caller: Caller | null, refusal: Error | null): void {
  if (access === 'anyone') return;
  if (refusal) throw refusal;
  if (scope === 'any' || !caller || caller.scopes.includes(scope)) return;
  const has = caller.scopes.map((one) => `\`${one}\``).join(', ');
  throw new ApiError('FORBIDDEN', `This needs the scope \`${scope}\`; the API key has ${has}.`);
}

/** A path whose parameters can't be right leads to nothing. */
function readParams({ params }: Endpoint, given: Record<string, string>): unknown {
  if (!params) return given;
  const parsed = params.safeParse(given);
  if (!parsed.success) throw new ApiError('NOT_FOUND', 'There is nothing at this path.');
  return parsed.data;
}

type Terms = Omit<BodyTerms, 'maxBytes'>;

async function inputOf(
  endpoint: Endpoint,
  raw: Raw,
  terms: Terms,
): Promise<{ query: unknown; body: unknown }> {
  const query = endpoint.query && validate(endpoint.query, queryFor(endpoint.query, raw.request.url));
  return { query, body: await bodyFor(endpoint, raw, terms) };
}

/** A parameter without a value counts as absent: `?cursor=` is what many clients send for the first page. */
function queryFor({ shape }: z.ZodObject, url: string): Record<string, string> {
  const given = Object.entries(readQuery(url));
  return Object.fromEntries(given.filter(([name, value]) => value !== '' || !Object.hasOwn(shape, name)));
}

async function bodyFor(endpoint: Endpoint, raw: RawRequest, terms: Terms): Promise<unknown> {
  if (endpoint.rawBody) return await readOrStreamBody(raw, { ...terms, ...endpoint.rawBody });
  if (endpoint.method === 'GET' || endpoint.method === 'DELETE') return undefined;
  return validate(endpoint.body ?? nothing, (await readJson(raw, terms)) ?? {});
}

function send(request: Request, response: Response, { status, body, headers = {}, table }: Reply): void {
  const state = stateOf(response);
  const execution = executionIn(body);
  state.executionId ??= execution?.id ?? null;
  state.model = execution?.model ?? null;
  response.set({ 'Cache-Control': 'no-store', ...headers });
  response.status(status);
  if (table) sendTable(request, response, body, table);
  else response.json(body);
}

function executionIn(body: unknown): { id: string; model: string } | null {
  if (body === null || typeof body !== 'object' || !('id' in body) || !('model' in body)) return null;
  const { id, model } = body;
  return typeof id === 'string' && id.startsWith('exec_') ? { id, model: String(model) } : null;
}

/** The query as one string per name; a name given twice is refused. */
export function readQuery(url: string): Record<string, string> {
  const start = url.indexOf('?');
  const given = new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
  const query: Record<string, string> = Object.create(null);
  for (const [name, value] of given) {
    if (name in query) throw invalidField(name, 'INVALID_TYPE', `${name} is given more than once.`);
    query[name] = value;
  }
  const problem = checkJson(query, '', 1);
  if (problem) throw invalidField(problem.field, problem.code, problem.message);
  return { ...query };
}
