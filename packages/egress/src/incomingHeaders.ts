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
