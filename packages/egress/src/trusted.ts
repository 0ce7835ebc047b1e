import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { collect, decompressed, decompressedHeaders, isCompressed } from '@holdfast/kit/contentEncoding';
import { type Connections, createConnections } from './connections.ts';
import { type Exchange, exchange, timedOut } from './exchange.ts';
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
  const sent = sentBodyOf(options);
  const result = await exchange(client.connections, {
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers: {
      ...credentialsOf(url),
      ...client.headers,
      ...sent.headers,
      ...lowerCased(options.headers),
    },
    body: sent.body,
    timeoutMs,
    maxResponseBytes,
    signal: options.signal,
    streaming: {
      isStreamed: (status, received) =>
        isCompressed(received) || bodyAs({ status, headers: received }) === 'stream',
      maxBytes: maxStreamBytes,
    },
  });
  if (!result.ok) return describeFailure(result, timeoutMs);
  const head = { ok: true, status: result.status, headers: decompressedHeaders(result.headers) } as const;
  const form = bodyAs(head);
  const stream = result.stream && decompressed(result.stream, result.headers);
  if (stream && form === 'stream') return { ...head, bodyText: '', json: undefined, stream };
  const body = stream ? await collected(stream, maxResponseBytes, options) : wholeBody(result);
  if (body === null) {
    return failure('unknown', 'too_large', 'ERR_TOO_LARGE', `more than ${maxResponseBytes} bytes`);
  }
  if (!Buffer.isBuffer(body)) return describeFailure(body, timeoutMs);
  if (form === 'bytes') return { ...head, bodyText: '', json: undefined, bytes: body };
  const bodyText = textOf(body);
  return { ...head, bodyText, json: parseJson(bodyText) };
}

type Failed = Extract<Exchange, { ok: false }>;

function wholeBody({ isCut, body }: Extract<Exchange, { ok: true }>): Buffer | null {
  return isCut ? null : body;
}

async function collected(
  stream: Readable,
  maxBytes: number,
  { signal }: TrustedRequest,
): Promise<Buffer | null | Failed> {
  try {
    return await collect(stream, maxBytes);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const cause = signal?.aborted ? 'aborted' : code === timedOut ? 'timeout' : (error as Error);
    return { ok: false, cause, progress: 'sent' };
  }
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

function describeFailure({ cause, progress }: Failed, timeoutMs: number): TrustedResult {
  const isWhole = progress === 'sent' && !(cause instanceof UnreadableBody);
  const reached = isWhole ? 'unknown' : 'no';
  if (cause === 'aborted') return failure(reached, 'aborted', 'ERR_ABORTED', 'aborted');
  if (cause === 'timeout') {
    return failure(reached, 'timeout', timedOut, `no complete response within ${timeoutMs} ms`);
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
