import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { collect, decompressed, decompressedHeaders, isCompressed } from '@holdfast/kit/contentEncoding';
import { errorOf, exchange } from './exchange.ts';
import type { EgressPolicy } from './policy.ts';
import { connectionsOf, targetOf } from './post.ts';

export type FetchLimits = {
  /** Total: look-up, connect, TLS, request and response. */
  timeoutMs: number;
  maxResponseBytes: number;
};

export type FetchRequest = {
  method: string;
  headers: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal | undefined;
};

/** A `fetch` for libraries that take one, under the policy: no redirect is followed, nothing is retried. */
export function createFetch(policy: EgressPolicy, { timeoutMs, maxResponseBytes }: FetchLimits) {
  return async (url: string, { method, headers, body, signal }: FetchRequest): Promise<Response> => {
    const target = targetOf(policy, url);
    if ('code' in target) throw new Error(`the URL ${target.message}`);
    const result = await exchange(connectionsOf(policy), {
      ...target,
      method: method === 'POST' ? 'POST' : 'GET',
      headers: { 'user-agent': 'holdfast', ...headers },
      body: bodyOf(body),
      timeoutMs,
      maxResponseBytes,
      signal,
    });
    if (!result.ok) throw errorOf(result.cause, timeoutMs);
    const { status, headers: received } = result;
    const plain = result.isCut ? null : await plainBody(result.body, received, maxResponseBytes);
    if (plain === null) throw new Error(`the response has more than ${maxResponseBytes} bytes`);
    const hasBody = ![204, 205, 304].includes(status);
    return new Response(hasBody ? new Uint8Array(plain) : null, {
      status,
      headers: flat(decompressedHeaders(received)),
    });
  };
}

/** Null for one that becomes too long. */
async function plainBody(
  body: Buffer,
  headers: IncomingHttpHeaders,
  maxBytes: number,
): Promise<Buffer | null> {
  if (!isCompressed(headers) || body.length === 0) return body;
  return await collect(decompressed(Readable.from([body]), headers), maxBytes);
}

/** @throws for a body that is not text */
function bodyOf(body: unknown): string | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new Error('the body is not text');
}

function flat(headers: Record<string, string | string[] | undefined>): [string, string][] {
  return Object.entries(headers).flatMap(([name, value = []]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  );
}
