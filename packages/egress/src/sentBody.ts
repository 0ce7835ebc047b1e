import type { Readable } from 'node:stream';
import type { TrustedRequest } from './trusted.ts';

export type SentBody = { body: Buffer | string | Readable | null; headers: Record<string, string> };

/** The bytes of a request and what they are, where that follows from how they were given. */
export function sentBodyOf({ json, body }: TrustedRequest): SentBody {
  if (typeof body === 'object' && 'open' in body) {
    const headers = { 'content-type': body.contentType, 'content-length': String(body.sizeBytes) };
    return { body: body.open(), headers };
  }
  if (json === undefined) return { body: body ?? null, headers: {} };
  return { body: JSON.stringify(json), headers: { 'content-type': 'application/json' } };
}
