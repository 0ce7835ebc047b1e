import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { basicCredentials } from './basicCredentials.ts';
import { type Connections, createConnections } from './connections.ts';
import { type Exchange, exchange } from './exchange.ts';
import { messageOf } from './messageOf.ts';
import { UnreadableBody } from './multipart.ts';
import { parseJson } from './parseJson.ts';
import { sentBodyOf } from './sentBody.ts';

export type TrustedHttp = {
  /** `path` is appended to the base URL's path. Resolves with any status; network trouble is a typed failure. */
  request(method: Method, path: string, options?: TrustedRequest): Promise<TrustedResult>;
  close(): void;
};

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type TrustedRequest = {
  json?: unknown;
  body?: string | Buffer | StreamedBody;
  headers?: Record<string, string>;
  timeoutMs?: number;
  signal?: AbortSignal;
};

/** A body that is read while it is sent, for one request; see multipart.ts. */
export type StreamedBody = { contentType: string; sizeBytes: number; open(): Readable };

export type TrustedSettings = {
  baseUrl: string;
  headers?: Record<string, string>;
  /** Total of one request; 60 000 unless told. */
  timeoutMs?: number;
  /** 32 MiB unless told. */
  maxResponseBytes?: number;
};

export type TrustedResult =
  /** `json` is undefined when the body is not JSON; see parseJson. */
  | { ok: true; status: number; headers: IncomingHttpHeaders; bodyText: string; json: unknown }
  /** `reached: 'no'`: the peer can't have seen the request. `'unknown'`: it may have acted on it. */
  | { ok: false; reached: 'no' | 'unknown'; reason: FailureReason; code: string; message: string };

export type FailureReason = 'network' | 'timeout' | 'aborted' | 'too_large';

/** HTTP to a base URL the operator configured, wherever it is: no address check, no redirect, no retry. */
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
    maxResponseBytes: client.maxResponseBytes,
    signal: options.signal,
  });
  if (!result.ok) return describeFailure(result, timeoutMs);
  if (result.isCut) {
    return failure('unknown', 'too_large', 'ERR_TOO_LARGE', `more than ${client.maxResponseBytes} bytes`);
  }
  const bodyText = textOf(result.body);
  return {
    ok: true,
    status: result.status,
    headers: result.headers,
    bodyText,
    json: parseJson(bodyText),
  };
}

/** A base URL may carry a user name and password. */
function credentialsOf(url: URL): Record<string, string> {
  const authorization = basicCredentials(url);
  return authorization === null ? {} : { authorization };
}

/** The names of two sets of headers meet whatever their case. */
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
    return failure(reached, 'timeout', 'ETIMEDOUT', `no complete answer within ${timeoutMs} ms`);
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

/** Without the mark that some servers put before JSON. */
function textOf(body: Buffer): string {
  const text = body.toString('utf8');
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
