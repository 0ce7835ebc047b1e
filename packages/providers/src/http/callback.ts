import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Connection } from '../connection.ts';
import type { Callback, CallbackReading, CalledBack } from '../interface.ts';
import { parseJson } from '../parseJson.ts';
import { endedBy } from './ended.ts';
import { idIn } from './handle.ts';
import type { HttpOptions } from './options.ts';
import { standingIn } from './reading.ts';

const toleranceS = 300;

/** What a callback says: authentic by its signature where the model's YAML names one, else by the token in its URL. */
export function readCallback(
  callback: Callback,
  { handle, mapping }: CalledBack,
  options: HttpOptions,
  connection: Connection,
): CallbackReading {
  const authentic = isAuthentic(callback, options, connection);
  if (authentic !== true) return authentic === null ? 'later' : null;
  const json = parseJson(callback.body);
  if (json === null || typeof json !== 'object' || Object.keys(json).length === 0) return null;
  const id = idIn(json, options);
  if (id !== undefined && handle && id !== handle.externalId) return null;
  // Its result has a URL of its own.
  if (options.result && standingIn(json, options) !== 'running') return id === undefined ? null : 'ask';
  const ended = endedBy({ value: json, bodies: [] }, options, mapping, connection);
  if (ended !== null) return ended;
  const isAsked = options.poll !== undefined && options.status?.at === undefined;
  return isAsked && id !== undefined ? 'ask' : null;
}

/** Null while it can't be told: the connection has no secret to verify with. */
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
  if (signature.timestamp_header && !isFresh(atS, receivedAtMs)) return false;
  const hmac = createHmac('sha256', secret);
  if (atS !== undefined) hmac.update(`${atS}.`);
  const expected = Buffer.from(signature.prefix + hmac.update(body).digest(signature.encoding));
  const found = Buffer.from(given);
  return found.length === expected.length && timingSafeEqual(found, expected);
}

function isFresh(atS: string | undefined, receivedAtMs: number): boolean {
  return /^\d{1,12}$/.test(atS ?? '') && Math.abs(receivedAtMs / 1000 - Number(atS)) <= toleranceS;
}
