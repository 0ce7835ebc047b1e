import type { ServerResponse } from 'node:http';
import helmet, { type HelmetOptions } from 'helmet';

// The gateway has no TLS of its own, so browsers must not upgrade the links of /docs.
const ofPages = headersOf({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } });

/** Responses of endpoints load nothing; what else helmet sets concerns pages, or browsers of the past. */
const ofData = headersOf({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  xFrameOptions: { action: 'deny' },
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
});

export function setSecurityHeaders(response: ServerResponse, isPage: boolean): void {
  for (const [name, value] of isPage ? ofPages : ofData) response.setHeader(name, value);
}

/** They are the same for every response, so helmet's middlewares run once. */
function headersOf(options: HelmetOptions): [string, string][] {
  const headers = new Map<string, string>();
  const setHeader = (name: string, value: string) => headers.set(name, value);
  const removeHeader = (name: string) => headers.delete(name);
  helmet(options)({} as never, { setHeader, removeHeader } as never, () => {});
  return [...headers];
}
