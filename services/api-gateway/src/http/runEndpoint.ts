import { ApiError } from '@holdfast/domain/errors';
import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import type { Context } from '../context.ts';
import type { Caller, Endpoint, Reply } from './endpoint.ts';
import { readBody } from './readBody.ts';
import { readJson } from './readJson.ts';
import { readQuery } from './readQuery.ts';
import { stateOf } from './requestState.ts';
import { sendTable } from './sendTable.ts';
import { validate } from './validate.ts';

const nothing = z.strictObject({});

/** Answers a request by the endpoint that its route leads to. @throws ApiError, to be answered by `answerError` */
export function runEndpoint(context: Context): RequestHandler {
  return async (request, response) => {
    const { match, caller, refusal, traceparent } = stateOf(response);
    if (match.kind === 'unknown') throw new ApiError('NOT_FOUND', 'There is nothing at this path.');
    if (match.kind === 'wrongMethod') {
      const headers = { Allow: match.allowed.join(', ') };
      throw new ApiError('METHOD_NOT_ALLOWED', `Allowed here: ${headers.Allow}.`, { headers });
    }
    requireAccess(match.endpoint, caller, refusal);
    const params = readParams(match.endpoint, match.params) as never;
    await match.endpoint.admit?.({ context, params });
    const raw = { request, response };
    const { query, body } = await inputOf(match.endpoint, request).catch(async (error: unknown) => {
      await match.endpoint.refused?.({ context, params, raw, error });
      throw error;
    });
    const reply = await match.endpoint.handle({
      context,
      caller: caller as never,
      params,
      query: query as never,
      body: body as never,
      headers: request.headers,
      traceparent,
      raw,
    });
    if (reply) send(request, response, reply);
  };
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

async function inputOf(endpoint: Endpoint, request: Request): Promise<{ query: unknown; body: unknown }> {
  const query = endpoint.query && validate(endpoint.query, readQuery(request.url));
  return { query, body: await bodyFor(endpoint, request) };
}

async function bodyFor(endpoint: Endpoint, request: Request): Promise<unknown> {
  if (endpoint.rawBodyBytes !== undefined) return await readBody(request, endpoint.rawBodyBytes);
  if (endpoint.method === 'GET' || endpoint.method === 'DELETE') return undefined;
  return validate(endpoint.body ?? nothing, (await readJson(request)) ?? {});
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
