import { type Settings, version } from './config.ts';
import { AbortedError, ConnectionError, errorOf, HoldfastError } from './errors.ts';
import { ResponsePromise, type WithResponse } from './responsePromise.ts';
import { mayBeDone, retryDelay, sleep, startTimer } from './retries.ts';
import { isBrowser } from './runtime.ts';

/** Options of every call. */
export type RequestOptions = {
  /** Aborts the call. */
  signal?: AbortSignal | undefined;
  /** Milliseconds that one HTTP request of this call may take. */
  timeout?: number | undefined;
  /** How often this call is repeated after a failure that a repetition can cure. */
  maxRetries?: number | undefined;
};

type Query = Record<string, string | number | boolean | undefined>;

export type Call = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  query?: Query | undefined;
  /** Written as JSON, unless it is text already. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Whether a request that may have been processed can be sent again. Default: all but POST. */
  isRepeatable?: boolean;
  /** Milliseconds for which the service may hold the request before it responds. */
  holdMs?: number;
  /** Whether a body can be a response to this call. Default: any object. */
  isExpected?: (body: object) => boolean;
  /** What a deletion returns when an earlier try, whose response was lost, has deleted it: the next one gets 404. */
  goneBody?: object;
};

/** A call that knows its responses: a proxy may respond with JSON, too. */
type CheckedCall = Call & Required<Pick<Call, 'isExpected'>>;

/** Whether a body has these fields. */
export const has =
  (...names: string[]) =>
  (body: object): boolean =>
    names.every((name) => ((body as Record<string, unknown>)[name] ?? null) !== null);

/** A response whose body is not read yet. `close` ends it. */
export type OpenResponse = { response: Response; close: () => void };

/** Sends requests to one Holdfast. */
export type Http = {
  settings: Settings;
  /** The response as JSON. @throws HoldfastError */
  json<Body extends object>(call: CheckedCall, options?: RequestOptions): ResponsePromise<Body>;
  /** The response with its body still open. The timeout ends with the headers. @throws HoldfastError */
  open(call: Call, options?: RequestOptions): Promise<OpenResponse>;
  /** Runs `attempt` until it succeeds or a repetition is pointless. @throws HoldfastError */
  repeat<Result>(
    attempt: () => Promise<Result>,
    options: RequestOptions & { isRepeatable: boolean },
  ): Promise<Result>;
};

export function openHttp(settings: Settings): Http {
  async function repeat<Result>(
    attempt: () => Promise<Result>,
    { isRepeatable, signal, maxRetries = settings.maxRetries }: RequestOptions & { isRepeatable: boolean },
  ): Promise<Result> {
    const endsAt = performance.now() + settings.retryDeadline;
    for (let failures = 1; ; failures += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof HoldfastError)) throw error;
        const remainingMs = endsAt - performance.now();
        const delayMs = retryDelay(error, { isRepeatable, failures, remainingMs, maxRetries });
        if (delayMs === null) throw error;
        await sleep(delayMs, signal);
      }
    }
  }

  async function open(call: Call, options: RequestOptions = {}): Promise<OpenResponse> {
    const attempt = startAttempt(options.signal, options.timeout ?? settings.timeout);
    try {
      const response = await dial(settings, call, attempt);
      if (response.ok) {
        attempt.endTimeout();
        return { response, close: attempt.close };
      }
      const text = await attempt.reading(() => response.text());
      attempt.close();
      throw errorOf(response, text);
    } catch (error) {
      attempt.close();
      throw error;
    }
  }

  async function readJson(
    call: CheckedCall,
    options: RequestOptions,
    isMaybeDone: boolean,
  ): Promise<WithResponse<object>> {
    const timeoutMs = options.timeout ?? settings.timeout;
    const attempt = startAttempt(options.signal, timeoutMs + (call.holdMs ?? 0));
    try {
      const response = await dial(settings, call, attempt);
      if (call.holdMs !== undefined) attempt.restartTimeout(timeoutMs);
      const text = await attempt.reading(() => response.text());
      if (!response.ok) {
        const error = errorOf(response, text);
        if (isMaybeDone && call.goneBody && error.code === 'NOT_FOUND')
          return { data: call.goneBody, response };
        throw error;
      }
      return { data: parseBody(response, text, call.isExpected), response };
    } finally {
      attempt.close();
    }
  }

  function json<Body extends object>(call: CheckedCall, options: RequestOptions = {}): ResponsePromise<Body> {
    const isRepeatable = call.isRepeatable ?? call.method !== 'POST';
    let isMaybeDone = false;
    const attempt = () =>
      readJson(call, options, isMaybeDone).catch((error: unknown) => {
        isMaybeDone ||= mayBeDone(error);
        throw error;
      });
    const reading = repeat(attempt, { ...options, isRepeatable });
    return new ResponsePromise(reading as Promise<WithResponse<Body>>);
  }

  return { settings, json, open, repeat };
}

export type Attempt = {
  signal: AbortSignal;
  /** Runs a part of the attempt; its failures become HoldfastErrors. */
  reading<Result>(part: () => Promise<Result>): Promise<Result>;
  endTimeout(): void;
  restartTimeout(timeoutMs: number): void;
  close(): void;
};

/** One request: it ends with the caller's signal and after the timeout, whatever part of it is in progress. */
export function startAttempt(caller: AbortSignal | undefined, timeoutMs: number): Attempt {
  if (caller?.aborted) throw new AbortedError(caller.reason);
  const controller = new AbortController();
  const onAbort = () => controller.abort(caller?.reason);
  caller?.addEventListener('abort', onAbort, { once: true });
  let isLate = false;
  let limitMs = timeoutMs;
  const onLate = () => {
    isLate = true;
    controller.abort();
  };
  let timer = startTimer(onLate, limitMs);
  const endTimeout = () => clearTimeout(timer);
  return {
    signal: controller.signal,
    async reading(part) {
      try {
        return await part();
      } catch (error) {
        if (caller?.aborted) throw new AbortedError(caller.reason);
        if (isLate) throw lateError(limitMs, error);
        throw error instanceof HoldfastError ? error : connectionError(error);
      }
    },
    endTimeout,
    restartTimeout(ms) {
      endTimeout();
      limitMs = ms;
      timer = startTimer(onLate, limitMs);
    },
    close() {
      endTimeout();
      caller?.removeEventListener('abort', onAbort);
      controller.abort();
    },
  };
}

async function dial(settings: Settings, call: Call, attempt: Attempt): Promise<Response> {
  const headers = headersOf(
    { Accept: 'application/json' },
    call.body === undefined ? {} : { 'Content-Type': 'application/json' },
    isBrowser() ? {} : { 'User-Agent': `holdfast-sdk-typescript/${version}` },
    settings.headers,
    call.headers ?? {},
    { Authorization: `Bearer ${settings.apiKey}` },
  );
  const init: RequestInit = {
    method: call.method,
    headers,
    signal: attempt.signal,
    // A redirected POST would become a GET, and would take the key elsewhere.
    redirect: 'manual',
    ...(call.body !== undefined && {
      body: typeof call.body === 'string' ? call.body : JSON.stringify(call.body),
    }),
  };
  const url = urlOf(settings.baseUrl, call);
  return await attempt.reading(() => settings.fetch(url, init));
}

/** Later ones replace earlier ones, in whatever case their names are written: an object would send both. */
function headersOf(...parts: Record<string, string>[]): Headers {
  const headers = new Headers();
  for (const [name, value] of parts.flatMap((part) => Object.entries(part))) headers.set(name, value);
  return headers;
}

/** @throws TypeError for a path that `new URL` would make another one of */
export function checkPath(path: string): void {
  // Anything else could name another host, which would get the key.
  if (!path.startsWith('/')) throw new TypeError('The path of a request begins with a slash.');
  if (/^[^?#]*\/\.{0,2}(?=[/?#]|$)/.test(path)) {
    throw new TypeError(`The path ${path} has an empty part, or one of dots. Is an id empty?`);
  }
}

function urlOf(baseUrl: string, { path, query = {} }: Call): string {
  checkPath(path);
  const url = new URL(baseUrl + path);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url.toString();
}

function parseBody(response: Response, text: string, isExpected: (body: object) => boolean): object {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && isExpected(body)) return body;
  } catch {
    // Not JSON: reported below.
  }
  throw new ConnectionError({
    code: 'INVALID_RESPONSE',
    message: `HTTP ${response.status} with a body that is not of the API. Is the URL the one of your Holdfast?`,
    requestId: response.headers.get('x-request-id'),
  });
}

function lateError(timeoutMs: number, cause: unknown): ConnectionError {
  return new ConnectionError({
    code: 'REQUEST_TIMED_OUT',
    message: `There was no complete response within ${timeoutMs} ms.`,
    cause,
  });
}

/** Codes of Node, Bun and Deno for connections that were never made. */
const unsentCodes = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
];

function connectionError(cause: unknown): ConnectionError {
  const codes = [cause, (cause as { cause?: unknown })?.cause].map((one) => (one as { code?: string })?.code);
  const reason = innermostMessage(cause);
  return new ConnectionError({
    code: 'CONNECTION_FAILED',
    message: `The connection failed${reason ? `: ${reason}` : ''}.`,
    isUnsent: codes.some((code) => code !== undefined && unsentCodes.includes(code)),
    cause,
  });
}

function innermostMessage(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return innermostMessage(error.cause) || error.message;
}
