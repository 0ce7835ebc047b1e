import type { ServerResponse } from 'node:http';
import helmet from 'helmet';

// The gateway has no TLS of its own, so browsers must not upgrade the links of /docs.
const setAll = helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } });

/** The headers of helmet are the same for every response, so its fourteen middlewares run once. */
const headers = new Map<string, string>();
setAll(
  {} as never,
  {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: (name: string) => headers.delete(name),
  } as never,
  () => {},
);
const names = [...headers.keys()];
const values = [...headers.values()];

export function setSecurityHeaders(response: ServerResponse): void {
  for (let index = 0; index < names.length; index += 1) {
    response.setHeader(names[index] ?? '', values[index] ?? '');
  }
}
