import type { IncomingHttpHeaders } from 'node:http';
import { endOfString, parseJson as parseExactly, replaceOutsideStrings } from '@holdfast/domain/json';

/** Headers of which `node:http` keeps the first value only; it joins the values of others. */
const single = new Set([
  'age',
  'authorization',
  'content-length',
  'content-type',
  'etag',
  'expires',
  'from',
  'host',
  'if-modified-since',
  'if-unmodified-since',
  'last-modified',
  'location',
  'max-forwards',
  'proxy-authorization',
  'referer',
  'retry-after',
  'server',
  'user-agent',
]);

export function incomingHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  for (const name in headers) {
    const value = headers[name];
    if (name === 'set-cookie') headers[name] = typeof value === 'string' ? [value] : value;
    else if (Array.isArray(value)) headers[name] = single.has(name) ? value[0] : value.join(', ');
  }
  return headers;
}

/** Deeper than any real response, and far less than the stack allows. */
const maxLevels = 128;

/** Three bytes of text can become 60 bytes of memory. */
const maxValues = 4_000_000;

export function parseJson(text: string): unknown {
  if (text.length > maxValues && hasMoreThan(maxValues, text)) return undefined;
  try {
    const value: unknown = parse(text);
    return isDeeperThan(maxLevels, value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Python writes NaN and Infinity, which JSON has no words for: they are null, as in JavaScript. @throws */
function parse(text: string): unknown {
  try {
    return parseExactly(text);
  } catch (error) {
    if (text.search(notFinite) === -1) throw error;
    return parseExactly(replaceOutsideStrings(text, notFinite, () => 'null'));
  }
}

const notFinite = /-?\b(NaN|Infinity)\b/g;

const [comma, bracket, brace, quote] = [0x2c, 0x5b, 0x7b, 0x22];

function hasMoreThan(max: number, text: string): boolean {
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === comma || code === bracket || code === brace) values += 1;
    if (values > max) return true;
    if (code === quote) at = endOfString(text, at);
  }
  return false;
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (levels === 0) return true;
  for (const name in value) {
    if (isDeeperThan(levels - 1, (value as Record<string, unknown>)[name])) return true;
  }
  return false;
}

const opensslError = /error:[0-9A-F]{8}:[^:]*:[^:]*:([^:]+)/;

/** undici's parser: the status is below 100, or 101 without an upgrade. */
const brokenAssertion = 'ERR_ASSERTION';

/** The code replaces Node's empty message when several addresses failed. OpenSSL's error keeps only its reason. */
export function messageOf(error: unknown): string {
  if (Object(error).code === brokenAssertion) return 'invalid HTTP response';
  if (!(error instanceof Error)) return String(error);
  const reason = opensslError.exec(error.message)?.[1];
  if (reason) return reason.trim();
  return error.message !== '' ? error.message : ((error as NodeJS.ErrnoException).code ?? error.name);
}
