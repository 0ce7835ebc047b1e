import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { type Connections, createConnections } from './connections.ts';
import { type Exchange, exchange } from './exchange.ts';
import { UnreadableBody } from './multipart.ts';
import { basicCredentials } from './proxy.ts';
import { messageOf, parseJson } from './response.ts';

export type SentBody = { body: Buffer | string | Readable | null; headers: Record<string, string> };

function sentBodyOf({ json, body }: TrustedRequest): SentBody {
  if (typeof body === 'object' && 'open' in body) {
    const headers = { 'content-type': body.contentType, 'content-length': String(body.sizeBytes) };
    return { body: body.open(), headers };
  }
  if (json === undefined) return { body: body ?? null, headers: {} };
  return { body: JSON.stringify(json), headers: { 'content-type': 'application/json' } };
}

export type TrustedHttp = {
  /** `path` is appended to the base URL's path. Never rejects. */
  request(method: Method, path: string, options?: TrustedRequest): Promise<TrustedResult>;
  close(): void;
};

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type TrustedRequest = {
  json?: unknown;
  body?: string | Buffer | StreamedBody;
  headers?: Record<string, string>;
  timeoutMs?: number;
  maxResponseBytes?: number;
  signal?: AbortSignal;
  /** Default: text. A stream must be read to its end or destroyed. */
  bodyAs?(head: ResponseHead): BodyForm;
};

export type ResponseHead = { status: number; headers: IncomingHttpHeaders };
export type BodyForm = 'text' | 'bytes' | 'stream';

export type StreamedBody = { contentType: string; sizeBytes: number; open(): Readable };

export type TrustedSettings = {
  baseUrl: string;
  headers?: Record<string, string>;
  timeoutMs?: number;
  maxResponseBytes?: number;
};

export type TrustedResult =
  /** `json` is undefined when the body is not JSON. With `bytes` or a `stream` the text is empty. */
  | {
      ok: true;
      status: number;
      headers: IncomingHttpHeaders;
      bodyText: string;
      json: unknown;
      bytes?: Buffer;
      stream?: Readable;
    }
  /** `reached: 'no'`: the peer did not get the complete request. `'unknown'`: it may have acted on it. */
  | { ok: false; reached: 'no' | 'unknown'; reason: FailureReason; code: string; message: string };

const maxStreamBytes = 1024 ** 3;

export type FailureReason = 'network' | 'timeout' | 'aborted' | 'too_large';

/** HTTP to a base URL of the operator: no address check, no redirect, no retry. */
export function createTrustedHttp(settings: TrustedSettings): TrustedHttp {
  const connections = createConnections();
  const client: Client = {
    connections,
    base: settings.baseUrl.replace(/\/+$/, ''),
    headers: { 'user-agent': 'holdfast', accept: 'application/json', ...lowerCased(settings.headers) },
    timeoutMs: settings.timeoutMs ?? 60_000,
    maxResponseBytes: settings.maxResponseBytes ?? 32 * 1024 * 1024,
  };
  return {
    request: async (method, path, options = {}) => {
      try {
        return await send(client, method, path, options);
      } catch (error) {
        return failure('no', 'network', 'ERR_INVALID_REQUEST', messageOf(error));
      }
    },
    close: () => connections.close(),
  };
}

type Client = {
  connections: Connections;
  base: string;
  headers: Record<string, string>;
  timeoutMs: number;
  maxResponseBytes: number;
};

async function send(
  client: Client,
  method: Method,
  path: string,
  options: TrustedRequest,
): Promise<TrustedResult> {
  const url = new URL(`${client.base}/${path.replace(/^\/+/, '')}`);
  const timeoutMs = options.timeoutMs ?? client.timeoutMs;
  const maxResponseBytes = options.maxResponseBytes ?? client.maxResponseBytes;
  const { bodyAs = () => 'text' } = options;
  const { body, headers } = sentBodyOf(options);
  const result = await exchange(client.connections, {
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers: {
      ...credentialsOf(url),
      ...client.headers,
      ...headers,
      ...lowerCased(options.headers),
    },
    body,
    timeoutMs,
    maxResponseBytes,
    signal: options.signal,
    streaming: {
      isStreamed: (status, received) => bodyAs({ status, headers: received }) === 'stream',
      maxBytes: maxStreamBytes,
    },
  });
  if (!result.ok) return describeFailure(result, timeoutMs);
  if (result.isCut) {
    return failure('unknown', 'too_large', 'ERR_TOO_LARGE', `more than ${maxResponseBytes} bytes`);
  }
  const { status, headers: received, body: bytes, stream } = result;
  const head = { ok: true, status, headers: received } as const;
  if (stream) return { ...head, bodyText: '', json: undefined, stream };
  if (bodyAs(head) === 'bytes') return { ...head, bodyText: '', json: undefined, bytes };
  const bodyText = textOf(bytes);
  return { ...head, bodyText, json: parseJson(bodyText) };
}

function credentialsOf(url: URL): Record<string, string> {
  const authorization = basicCredentials(url);
  return authorization === null ? {} : { authorization };
}

function lowerCased(headers: Record<string, string> = {}): Record<string, string> {
  const lower: Record<string, string> = {};
  for (const name in headers) lower[name.toLowerCase()] = headers[name] ?? '';
  return lower;
}

function describeFailure(
  { cause, progress }: Extract<Exchange, { ok: false }>,
  timeoutMs: number,
): TrustedResult {
  const isWhole = progress === 'sent' && !(cause instanceof UnreadableBody);
  const reached = isWhole ? 'unknown' : 'no';
  if (cause === 'aborted') return failure(reached, 'aborted', 'ERR_ABORTED', 'aborted');
  if (cause === 'timeout') {
    return failure(reached, 'timeout', 'ETIMEDOUT', `no complete response within ${timeoutMs} ms`);
  }
  const { code = 'UNKNOWN' }: NodeJS.ErrnoException = cause;
  return failure(reached, 'network', code, messageOf(cause));
}

function failure(
  reached: 'no' | 'unknown',
  reason: FailureReason,
  code: string,
  message: string,
): TrustedResult {
  return { ok: false, reached, reason, code, message };
}

/** Without the byte order mark that some servers put before JSON. */
function textOf(body: Buffer): string {
  const text = body.toString('utf8');
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
