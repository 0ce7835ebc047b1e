import type { IncomingHttpHeaders } from 'node:http';
import got, {
  type Got,
  type OptionsInit,
  type OptionsOfTextResponseBody,
  RequestError,
  TimeoutError,
} from 'got';
import { type Agents, closeAgents, createAgents } from './agents.ts';
import { followProgress, messageOf, type Progress } from './progress.ts';

export type TrustedHttp = {
  /** `path` is appended to the base URL's path. Resolves with any status; network trouble is a typed failure. */
  request(method: Method, path: string, options?: TrustedRequest): Promise<TrustedResult>;
  close(): void;
};

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type TrustedRequest = {
  json?: unknown;
  body?: string | Buffer | FormData;
  headers?: Record<string, string>;
  timeoutMs?: number;
  signal?: AbortSignal;
};

export type TrustedSettings = {
  baseUrl: string;
  headers?: Record<string, string>;
  /** Total of one request; 60 000 unless told. */
  timeoutMs?: number;
  /** 32 MiB unless told. */
  maxResponseBytes?: number;
};

export type TrustedResult =
  /** `json` is undefined when the body is not JSON. */
  | { ok: true; status: number; headers: IncomingHttpHeaders; bodyText: string; json: unknown }
  /** `reached: 'no'`: the peer can't have seen the request. `'unknown'`: it may have acted on it. */
  | { ok: false; reached: 'no' | 'unknown'; reason: FailureReason; code: string; message: string };

export type FailureReason = 'network' | 'timeout' | 'aborted' | 'too_large';

/** HTTP to a base URL the operator configured, wherever it is: no address check, no redirect, no retry. */
export function createTrustedHttp(settings: TrustedSettings): TrustedHttp {
  const agents = createAgents();
  const client = got.extend(clientOptions(settings, agents));
  const base = settings.baseUrl.replace(/\/+$/, '');
  const maxBytes = settings.maxResponseBytes ?? 32 * 1024 * 1024;
  return {
    request: (method, path, options = {}) =>
      send(
        client,
        `${base}/${path.replace(/^\/+/, '')}`,
        { method, ...requestOptions(options) },
        maxBytes,
        options.signal,
      ),
    close: () => closeAgents(agents),
  };
}

function clientOptions(settings: TrustedSettings, agents: Agents): OptionsInit {
  return {
    agent: agents,
    headers: { 'user-agent': 'holdfast', accept: 'application/json', ...settings.headers },
    timeout: { request: settings.timeoutMs ?? 60_000 },
    retry: { limit: 0 },
    followRedirect: false,
    throwHttpErrors: false,
    decompress: false,
  };
}

function requestOptions({ json, body, headers, timeoutMs }: TrustedRequest): OptionsOfTextResponseBody {
  return {
    ...(json === undefined ? {} : { json }),
    ...(body === undefined ? {} : { body }),
    ...(headers === undefined ? {} : { headers }),
    ...(timeoutMs === undefined ? {} : { timeout: { request: timeoutMs } }),
  };
}

async function send(
  client: Got,
  url: string,
  options: OptionsOfTextResponseBody,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<TrustedResult> {
  const oversize = new AbortController();
  const stop = signal ? AbortSignal.any([signal, oversize.signal]) : oversize.signal;
  let progress: (() => Progress) | undefined;
  try {
    const pending = client(url, { ...options, signal: stop, responseType: 'text' });
    void pending.on('request', (request) => {
      progress = followProgress(request);
    });
    void pending.on('downloadProgress', ({ transferred }) => {
      if (transferred > maxBytes) oversize.abort();
    });
    const { statusCode, headers, body } = await pending;
    return { ok: true, status: statusCode, headers, bodyText: body, json: parseJson(body) };
  } catch (error) {
    const reason = oversize.signal.aborted ? 'too_large' : signal?.aborted ? 'aborted' : reasonOf(error);
    const code = error instanceof RequestError ? error.code : 'UNKNOWN';
    const reached = progress?.() === 'sent' ? 'unknown' : 'no';
    return { ok: false, reached, reason, code, message: messageOf(error) };
  }
}

function reasonOf(error: unknown): FailureReason {
  return error instanceof TimeoutError ? 'timeout' : 'network';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
