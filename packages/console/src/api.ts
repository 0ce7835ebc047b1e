import type { components } from './generated/api.ts';

export type Schemas = components['schemas'];

/** A response that is not a success, with the text of the API for people. */
export class RequestError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

type Query = Readonly<Record<string, string | number | undefined>>;
type Change = { body?: unknown; idempotencyKey?: string };

export async function read<Found>(path: string, query: Query = {}): Promise<Found> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return await send<Found>('GET', given.length > 0 ? `${path}?${search}` : path);
}

export async function change<Changed>(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  { body, idempotencyKey }: Change = {},
): Promise<Changed> {
  return await send<Changed>(
    method,
    path,
    {
      // Browsers send it to this origin only: no other site can act with the session.
      'X-Holdfast-Console': '1',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    },
    body,
  );
}

async function send<Found>(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: unknown,
): Promise<Found> {
  const response = await fetch(`/admin/v1${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const parsed: unknown = text.startsWith('{') ? JSON.parse(text) : null;
  if (response.ok) return parsed as Found;
  const { error } = (parsed ?? {}) as { error?: { code: string; message: string } };
  throw new RequestError(response.status, error?.code ?? '', error?.message ?? `HTTP ${response.status}`);
}
