import type { components } from './generated/api.ts';

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

type Query = Readonly<Record<string, string | number | undefined>>;
type Change = { body?: unknown; idempotencyKey?: string };

export async function read<Found>(path: string, query: Query = {}): Promise<Found> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return await send<Found>('GET', given.length > 0 ? `${path}?${search}` : path);
}

/** Browsers send it to this origin only: no other site can act with the session. */
const consoleHeader = { 'X-Holdfast-Console': '1' };

export async function change<Changed>(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  { body, idempotencyKey }: Change = {},
): Promise<Changed> {
  return await send<Changed>(
    method,
    path,
    {
      ...consoleHeader,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    },
    body === undefined ? undefined : JSON.stringify(body),
  );
}

export async function upload(organizationId: string, file: File): Promise<Schemas['File']> {
  const path = `/organizations/${organizationId}/files?filename=${encodeURIComponent(file.name)}`;
  const headers = { ...consoleHeader, ...(file.type && { 'Content-Type': file.type }) };
  return await send<Schemas['File']>('POST', path, headers, file);
}

async function send<Found>(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string | File,
): Promise<Found> {
  const response = await fetch(`/admin/v1${path}`, {
    method,
    headers,
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  const parsed: unknown = text.startsWith('{') ? JSON.parse(text) : null;
  if (response.ok) return parsed as Found;
  const { error } = (parsed ?? {}) as {
    error?: { code: string; message: string; details?: FieldProblem[] };
  };
  const { code = '', message = `HTTP ${response.status}`, details } = error ?? {};
  throw new RequestError(response.status, code, message, details);
}

/** Browsers offer `randomUUID` on https and loopback only. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
