import { multipart } from '@holdfast/egress/multipart';
import type { Method, TrustedRequest } from '@holdfast/egress/trusted';
import { isObject } from '@holdfast/kit/jsonSchema/values';
import type { Connection } from '../connection.ts';
import { formOf } from '../input.ts';
import { awaitsCallback, type Progress, type Submission } from '../interface.ts';
import { failure } from '../outcome/failure.ts';
import { acceptHeader, maxFormBytes } from './document.ts';
import { pathBelow } from './handle.ts';
import { type HeaderOptions, type HttpOptions, httpOptions } from './options.ts';
import { submitForm } from './progress.ts';
import { isStream, streamedOf, streamHeaders } from './stream.ts';
import { fill, type Values } from './template.ts';

export type Call =
  | ({
      ok: true;
      options: HttpOptions;
      method: Method;
      path: string;
      headers: Record<string, string>;
      timeoutMs: number;
    } & Pick<TrustedRequest, 'json' | 'body' | 'bodyAs' | 'maxResponseBytes'>)
  | { ok: false; progress: Progress };

const acceptTimeoutMs = 60_000;

export function callOf(submission: Submission, connection: Connection): Call {
  const parsed = httpOptions.safeParse(submission.options);
  if (!parsed.success) return misconfigured("the options of the model's provider are invalid");
  const options = parsed.data;
  const streamed = streamedOf(submission, options);
  const { input, providerModel: model, token, timeoutMs } = submission;
  const mode = streamed ? 'sync' : submission.mode;
  const called = awaitsCallback({ ...submission, mode });
  if (called && options.callback.signature && connection.settings.CALLBACK_SECRET === undefined)
    return misconfigured('the connection has no setting CALLBACK_SECRET');
  const given = headersOf(connection, options.headers);
  if (!given.ok) return misconfigured(`the connection has no setting ${given.missing}`);
  const values = {
    input,
    model,
    token,
    timeout_s: Math.ceil(timeoutMs / 1000),
    ...(called && { callback_url: submission.callbackUrl }),
  };
  const sent = { ...submission, mode };
  const path = pathBelow(connection, streamed?.stream.path ?? options.path, values);
  if (path === null)
    return { ok: false, progress: { state: 'ended', outcome: failure('INPUT_VALIDATION_ERROR') } };
  const { idempotency_header: header } = options;
  return {
    ok: true,
    options,
    method: options.method,
    path,
    ...bodyOf(options, submission, values, streamed?.stream.body),
    headers: {
      ...(called || mode === 'poll' ? {} : acceptHeader(options)),
      ...(streamed && streamHeaders(streamed.stream)),
      ...given.headers,
      ...(header && { [header.toLowerCase()]: token }),
    },
    bodyAs: (head) =>
      streamed && isStream(head, options) ? 'stream' : submitForm({ options, submission: sent })(head),
    ...(options.response_as === 'multipart' && { maxResponseBytes: maxFormBytes }),
    timeoutMs: mode === 'sync' ? timeoutMs : Math.min(timeoutMs, acceptTimeoutMs),
  };
}

function bodyOf(
  { method, body, body_as: as }: HttpOptions,
  submission: Submission,
  values: Values,
  added: Record<string, unknown> | undefined,
): Pick<TrustedRequest, 'json' | 'body'> {
  if (method === 'GET') return {};
  const filled = withAdded(fill(body, values), added && fill(added, values));
  if (as === 'json' || filled === null || typeof filled !== 'object') return { json: filled };
  return { body: multipart(formOf(filled as Record<string, unknown>, submission)) };
}

function withAdded(body: unknown, added: unknown): unknown {
  return isObject(body) && isObject(added) ? { ...body, ...added } : body;
}

function misconfigured(alert: string): Call {
  const outcome = { ...failure('SERVICE_UNAVAILABLE'), raw: alert };
  return { ok: false, progress: { state: 'refused', retryAfterMs: null, outcome, alert } };
}

export type Headers = { ok: true; headers: Record<string, string> } | { ok: false; missing: string };

/** The model's headers with settings filled in. The key is a bearer token unless a header contains it. */
export function headersOf({ apiKey, settings }: Connection, options: HeaderOptions): Headers {
  const known: Record<string, string> = { ...settings, ...(apiKey !== null && { API_KEY: apiKey }) };
  const entries = Object.entries(options);
  const isKeyNamed = entries.some(([, value]) => typeof value !== 'string' && value.from === 'API_KEY');
  const headers: Record<string, string> =
    apiKey !== null && !isKeyNamed ? { authorization: `Bearer ${apiKey}` } : {};
  for (const [name, value] of entries) {
    if (typeof value === 'string') headers[name.toLowerCase()] = value;
    else {
      const found = Object.hasOwn(known, value.from) ? known[value.from] : undefined;
      if (found === undefined) return { ok: false, missing: value.from };
      headers[name.toLowerCase()] = `${value.prefix}${found}`;
    }
  }
  return { ok: true, headers };
}
