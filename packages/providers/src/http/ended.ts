import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isSameSecret } from '@holdfast/domain/constantTime';
import type { OutcomeMapping } from '@holdfast/domain/outcome';
import { parseJson } from '@holdfast/egress/response';
import type { Connection } from '../connection.ts';
import { type Callback, type CallbackReading, type CallbackRun, type Ended, isTimely } from '../interface.ts';
import { outputFailure } from '../outcome/failure.ts';
import type { Secrets } from '../outcome/raw.ts';
import type { Document } from './document.ts';
import { idIn } from './handle.ts';
import type { HttpOptions } from './options.ts';
import { errorText, failureOf, logsIn, runStatusIn, successOf } from './reading.ts';

export type DocumentWithHeaders = Document & { headers?: IncomingHttpHeaders };

/** Null while the run is running or unclear. Without a configured status, an output or an error is the end. */
export function endedBy(
  document: DocumentWithHeaders,
  options: HttpOptions,
  mapping: OutcomeMapping,
  secrets: Secrets,
  elapsedS: number | null = null,
): Ended | null {
  const runStatus = runStatusIn(document.value, options);
  const success = () => succeeded(document, options, mapping, secrets, elapsedS);
  const failure = () => endOf(document.value, options, failureOf(document.value, options, mapping, secrets));
  if (runStatus === 'done') return success();
  if (runStatus === 'failed') return failure();
  if (runStatus === 'running' || options.status?.at !== undefined) return null;
  if (errorText(document.value, options) !== '') return failure();
  const ended = success();
  return ended.outcome.ok || outputFailure(document.value, mapping) !== null ? ended : null;
}

export function succeeded(
  { value, bodies, headers }: DocumentWithHeaders,
  options: HttpOptions,
  mapping: OutcomeMapping,
  secrets: Secrets,
  elapsedS: number | null = null,
): Ended {
  const outcome = successOf(value, options, mapping, elapsedS, secrets, headers);
  if (!outcome.ok) for (const body of bodies) body.close();
  return { ...endOf(value, options, outcome), ...(outcome.ok && bodies.length > 0 && { bodies }) };
}

export function endOf(value: unknown, options: HttpOptions, outcome: Ended['outcome']): Ended {
  const logs = logsIn(value, options);
  return { state: 'ended', outcome, ...(logs !== undefined && { logs }) };
}

/** Authentic by its signature where the model's YAML names one, else by the token in its URL. */
export function readCallback(
  callback: Callback,
  { handle, mapping }: CallbackRun,
  options: HttpOptions,
  connection: Connection,
): CallbackReading {
  const authentic = isAuthentic(callback, options, connection);
  if (authentic !== true) return authentic === null ? 'later' : null;
  const json = parseJson(callback.body.toString());
  if (json === null || typeof json !== 'object' || Object.keys(json).length === 0) return null;
  const id = idIn(json, options);
  if (id !== undefined && handle && id !== handle.externalId) return null;
  // The result must be fetched from its own URL.
  if (options.result && runStatusIn(json, options) !== 'running') return id === undefined ? null : 'poll';
  const ended = endedBy({ value: json, bodies: [] }, options, mapping, connection);
  if (ended !== null) return ended;
  const isPolled = options.poll !== undefined && options.status?.at === undefined;
  return isPolled && id !== undefined ? 'poll' : null;
}

/** Null when the connection has no secret to verify with. */
function isAuthentic(
  { headers, body, receivedAtMs }: Callback,
  { callback: { signature } }: HttpOptions,
  { settings }: Connection,
): boolean | null {
  if (signature === undefined) return true;
  const secret = settings.CALLBACK_SECRET;
  if (secret === undefined) return null;
  const given = headers[signature.header.toLowerCase()] ?? '';
  const atS = signature.timestamp_header && headers[signature.timestamp_header.toLowerCase()];
  if (signature.timestamp_header && !isTimely(atS, { receivedAtMs })) return false;
  const hmac = createHmac('sha256', secret);
  if (atS !== undefined) hmac.update(`${atS}.`);
  return isSameSecret(given, signature.prefix + hmac.update(body).digest(signature.encoding));
}
