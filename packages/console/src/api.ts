import type { components } from './generated/api.ts';
import { parseJson } from './json.ts';
import { text } from './strings/shared.ts';

export type Schemas = components['schemas'];

/** What is wrong with one field of a request, such as `input.prompt`. */
export type FieldProblem = { field: string; code: string; message: string };

/** A response that is not a success, with the text of the API for people. */
export class RequestError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: FieldProblem[];

  constructor(status: number, code: string, message: string, details: FieldProblem[] = []) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** The session has ended, or there was none. */
export const isSignedOut = (error: unknown) => error instanceof RequestError && error.status === 401;

export const isNotFound = (error: unknown): error is RequestError =>
  error instanceof RequestError && error.status === 404;

/** No response of the API came, so a change may have been applied or not. */
export class LostError extends Error {
  /** The same request, sent again, is applied once. */
  readonly isRepeatable: boolean;

  constructor(isRepeatable: boolean) {
    super(text.lost);
    this.isRepeatable = isRepeatable;
  }
}

type Query = Readonly<Record<string, string | number | undefined>>;
type Change = { body?: unknown; idempotencyKey?: string };

/** Browsers send it to this origin only: no other site can act with the session. */
const consoleHeader = { 'X-Holdfast-Console': '1' };

function addressOf(path: string, query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return given.length > 0 ? `${path}?${search}` : path;
}

/** The requests to an API below this path. */
export function requestsTo(base: string) {
  async function read<Found>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Found> {
    return await send<Found>('GET', addressOf(base + path, query), {}, undefined, signal);
  }

  async function change<Changed>(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    { body, idempotencyKey }: Change = {},
  ): Promise<Changed> {
    return await send<Changed>(
      method,
      base + path,
      {
        ...consoleHeader,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      },
      body === undefined ? undefined : JSON.stringify(body),
    );
  }

  /** Where a table is downloaded, which a link would not ask for as CSV. */
  async function readCsv(path: string, query: Query): Promise<Blob> {
    const response = await fetch(addressOf(base + path, query), { headers: { Accept: 'text/csv' } });
    if (!response.ok) throw new RequestError(response.status, '', `HTTP ${response.status}`);
    return await response.blob();
  }

  return { read, change, readCsv };
}

const adminApi = '/admin/v1';

export const { read, change, readCsv } = requestsTo(adminApi);

export async function upload(organizationId: string, file: File): Promise<Schemas['File']> {
  const [organization, name] = [organizationId, file.name].map(encodeURIComponent);
  const path = `${adminApi}/organizations/${organization}/files?filename=${name}`;
  const headers = { ...consoleHeader, ...(file.type && { 'Content-Type': file.type }) };
  return await send<Schemas['File']>('POST', path, headers, file);
}

/** Longer than the API takes to begin its response to a read. Changes and uploads last as long as they need. */
const maxSilenceMs = 60_000;

async function send<Found>(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string | File,
  /** Drops the request. */
  signal?: AbortSignal,
): Promise<Found> {
  const lost = () => {
    throw new LostError(method !== 'POST' || 'Idempotency-Key' in headers);
  };
  const silence = new AbortController();
  const timer = method === 'GET' ? setTimeout(() => silence.abort(), maxSilenceMs) : undefined;
  const response = await fetch(path, {
    method,
    headers,
    signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
    ...(body !== undefined && { body }),
  })
    .catch(lost)
    .finally(() => clearTimeout(timer));
  const content = await response.text().catch(lost);
  const parsed: unknown = content.startsWith('{') ? parseJson(content) : null;
  if (response.ok) return parsed as Found;
  const { error } = (parsed ?? {}) as {
    error?: { code: string; message: string; details?: FieldProblem[] };
  };
  // A proxy that got no response has a page of its own.
  if (!error && response.status >= 500) lost();
  const { code = '', message = `HTTP ${response.status}`, details } = error ?? {};
  throw new RequestError(response.status, code, message, details);
}

/** Browsers offer `randomUUID` on https and loopback only. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
