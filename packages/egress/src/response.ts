import type { IncomingHttpHeaders } from 'node:http';

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
    return JSON.parse(text);
  } catch (error) {
    if (text.search(notFinite) === -1) throw error;
    return JSON.parse(withNulls(text));
  }
}

const notFinite = /-?\b(NaN|Infinity)\b/g;

/** Words inside strings stay. */
function withNulls(text: string): string {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const quoteAt = text.indexOf('"', at);
    const start = quoteAt === -1 ? text.length : quoteAt;
    const end = quoteAt === -1 ? start : endOfString(text, start) + 1;
    parts.push(text.slice(at, start).replace(notFinite, 'null'), text.slice(start, end));
    at = end;
  }
  return parts.join('');
}

const [comma, bracket, brace, quote, backslash] = [0x2c, 0x5b, 0x7b, 0x22, 0x5c];

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

/** The index of the closing quote of the string at `start`; indexOf skips base64 images quickly. */
function endOfString(text: string, start: number): number {
  let at = start;
  let isEscaped = true;
  while (isEscaped) {
    at = text.indexOf('"', at + 1);
    if (at === -1) return text.length;
    let before = at - 1;
    while (text.charCodeAt(before) === backslash) before -= 1;
    isEscaped = (at - before) % 2 === 0;
  }
  return at;
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
