import { WebhookVerificationError } from './errors.ts';
import type { WebhookEvent } from './webhookEvents.ts';

/** Headers as a web `Headers`, as Node gives them, or any object of names and values. */
export type IncomingHeaders =
  | Pick<Headers, 'get'>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The body as it arrived: JSON that was parsed and written again has other bytes. */
export type RawBody = string | Uint8Array | ArrayBuffer;

export type UnwrapOptions = {
  /** Seconds by which the time of the signature may differ from now. Default: 300. */
  toleranceSeconds?: number;
};

const secretPrefix = 'whsec_';

/**
 * Verifies a webhook and returns its event. During a rotation pass both secrets.
 * @throws WebhookVerificationError if it is not authentic or too old
 * @throws TypeError if the body was parsed already, or a secret is missing or no `whsec_…`
 */
export async function unwrap(
  rawBody: RawBody,
  headers: IncomingHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300 }: UnwrapOptions = {},
): Promise<WebhookEvent> {
  const body = bytesOf(rawBody);
  const secrets = secretsOf(secret);
  const signed = readSignature(headers);
  if (!signed) throw new WebhookVerificationError('The request has no signature.');
  // Text that is no number is not recent either.
  if (!(Math.abs(Date.now() / 1000 - Number(signed.timestamp)) <= toleranceSeconds)) {
    throw new WebhookVerificationError('The signature is too old, or the clock of this machine is wrong.');
  }
  if (!(await isSigned(body, signed, secrets))) {
    throw new WebhookVerificationError('The signature does not match the body and the secret.');
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as WebhookEvent;
  } catch {
    throw new WebhookVerificationError('The body is not JSON.');
  }
}

export type SignOptions = {
  /** Default: the `id` in the body, or a new one. */
  id?: string;
  /** Unix seconds. Default: now. */
  timestamp?: number;
};

/** The headers with which Holdfast would send this body: for tests of your receiver. */
export async function sign(
  body: string,
  secret: string,
  { id = idIn(body), timestamp = Math.floor(Date.now() / 1000) }: SignOptions = {},
): Promise<Record<string, string>> {
  checkSecret(secret);
  const bytes = bytesOf(body);
  const hex = await hmac(wholeKey(secret), [`${timestamp}.`, bytes]);
  const standard = await hmac(decodedKey(secret), [`${id}.${timestamp}.`, bytes]);
  return {
    'content-type': 'application/json',
    'x-signature-timestamp': String(timestamp),
    'x-signature': [...hex].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${btoa(String.fromCharCode(...standard))}`,
  };
}

/** Whether a request has the headers of either signature: no other is worth reading. */
export const hasSignature = (headers: IncomingHeaders): boolean => readSignature(headers) !== null;

type Signed = { timestamp: string } & ({ standard: string[]; id: string } | { hex: string });

/** Standard Webhooks if the request has it: it allows a rotation without a gap. */
function readSignature(headers: IncomingHeaders): Signed | null {
  const id = headerOf(headers, 'webhook-id');
  const standard = headerOf(headers, 'webhook-signature');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  if (standard && id && timestamp) return { timestamp, id, standard: standard.split(' ') };
  const hex = headerOf(headers, 'x-signature');
  const hexTimestamp = headerOf(headers, 'x-signature-timestamp');
  return hex && hexTimestamp ? { timestamp: hexTimestamp, hex } : null;
}

async function isSigned(body: Bytes, signed: Signed, secrets: readonly string[]): Promise<boolean> {
  let found = false;
  for (const secret of secrets) {
    if ('hex' in signed) {
      const text = [`${signed.timestamp}.`, body];
      found = (await verify(wholeKey(secret), fromHex(signed.hex), text)) || found;
      continue;
    }
    for (const given of signed.standard) {
      if (!given.startsWith('v1,')) continue;
      const text = [`${signed.id}.${signed.timestamp}.`, body];
      found = (await verify(decodedKey(secret), fromBase64(given.slice(3)), text)) || found;
    }
  }
  return found;
}

type Bytes = Uint8Array<ArrayBuffer>;

const algorithm = { name: 'HMAC', hash: 'SHA-256' };

async function hmac(key: Bytes, text: (string | Bytes)[]): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, joined(text)));
}

/** Takes the same time wherever the first difference is. */
async function verify(key: Bytes, signature: Bytes | null, text: (string | Bytes)[]): Promise<boolean> {
  if (signature === null) return false;
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['verify']);
  return await crypto.subtle.verify('HMAC', imported, signature, joined(text));
}

function joined(parts: (string | Bytes)[]): Bytes {
  const all = parts.map((part) => (typeof part === 'string' ? bytesOf(part) : part));
  const whole = new Uint8Array(all.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of all) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function bytesOf(body: RawBody): Bytes {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (body instanceof Uint8Array) return new Uint8Array(body);
  throw new TypeError(
    'The body must be the raw text or bytes of the request: turn off the parser of this route.',
  );
}

/** One secret, or several during a rotation. @throws TypeError if one is missing or no `whsec_…` */
export function secretsOf(secret: string | readonly string[]): readonly string[] {
  const secrets = [secret].flat();
  if (secrets.length === 0 || !secrets.every(Boolean)) {
    throw new TypeError(
      'The secret of the endpoint is missing: set `secret` to its whsec_… (is the environment variable set?).',
    );
  }
  for (const one of secrets) checkSecret(one);
  return secrets;
}

function checkSecret(secret: string): void {
  if (
    typeof secret === 'string' &&
    secret.startsWith(secretPrefix) &&
    fromBase64(secret.slice(secretPrefix.length))?.length
  )
    return;
  throw new TypeError('The secret of a webhook begins with whsec_.');
}

/** `X-Signature` is keyed with the whole text, Standard Webhooks with the bytes behind the prefix. */
const wholeKey = (secret: string) => bytesOf(secret);
const decodedKey = (secret: string) => fromBase64(secret.slice(secretPrefix.length)) ?? new Uint8Array();

function fromBase64(text: string): Bytes | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function fromHex(text: string): Bytes | null {
  if (!/^([0-9a-f]{2})+$/i.test(text)) return null;
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function headerOf(headers: IncomingHeaders, name: string): string | null {
  if (typeof headers.get === 'function') return (headers as Pick<Headers, 'get'>).get(name);
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  const value = entry?.[1] as string | readonly string[] | undefined;
  return (typeof value === 'string' ? value : value?.[0]) ?? null;
}

function idIn(body: string): string {
  const { id } = JSON.parse(body) as { id?: unknown };
  return typeof id === 'string' ? id : `evt_${crypto.randomUUID()}`;
}
