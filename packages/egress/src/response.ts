import type { IncomingHttpHeaders } from 'node:http';

/** Of these a second one is dropped, as `node:http` does; any other is joined to the first. */
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

/** undici's headers (in place) as `node:http` gives them: text each, but `set-cookie`, which is always a list. */
export function incomingHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  for (const name in headers) {
    const value = headers[name];
    if (name === 'set-cookie') headers[name] = typeof value === 'string' ? [value] : value;
    else if (Array.isArray(value)) headers[name] = single.has(name) ? value[0] : value.join(', ');
  }
  return headers;
}

/** Deeper than any answer is, and far from where recursion over it would run out of stack. */
const mostLevels = 128;

/** Each is 60 bytes of memory and more, of three in the text. */
const mostValues = 4_000_000;

/**
 * The JSON of a text; undefined when it is none, or was made to break who reads it: nested too deep, or of more values than
 * there is memory for.
 */
export function parseJson(text: string): unknown {
  if (text.length > mostValues && hasMoreThan(mostValues, text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isDeeperThan(mostLevels, value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Every value but the first stands behind one of the first three. */
const [comma, bracket, brace, quote, backslash] = [0x2c, 0x5b, 0x7b, 0x22, 0x5c];

function hasMoreThan(most: number, text: string): boolean {
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === comma || code === bracket || code === brace) values += 1;
    if (values > most) return true;
    if (code === quote) at = endOfString(text, at);
  }
  return false;
}

/** Where the quote stands that ends the string which begins at `start`; pictures in base64 are passed over in one leap. */
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

/** OpenSSL's `thread:error:code:library:function:reason:file:line:`. */
const opensslError = /error:[0-9A-F]{8}:[^:]*:[^:]*:([^:]+)/;

/** What undici's parser asserts of a response does not hold: its status is below 100, or 101 for no upgrade. */
const brokenAssertion = 'ERR_ASSERTION';

/** Node's message for several failed addresses is empty; the code says as much. Of OpenSSL's the reason is enough. */
export function messageOf(error: unknown): string {
  if (Object(error).code === brokenAssertion) return 'invalid HTTP response';
  if (!(error instanceof Error)) return String(error);
  const reason = opensslError.exec(error.message)?.[1];
  if (reason) return reason.trim();
  return error.message !== '' ? error.message : ((error as NodeJS.ErrnoException).code ?? error.name);
}
