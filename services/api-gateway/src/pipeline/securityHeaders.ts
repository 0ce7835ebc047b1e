import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

// The gateway has no TLS of its own, so browsers must not upgrade the links of /docs.
const ofPages = helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } });

/** Responses of endpoints load nothing; what else helmet sets concerns pages, or browsers of the past. */
const ofData = helmet({
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

export function setSecurityHeaders(
  request: IncomingMessage,
  response: ServerResponse,
  isPage: boolean,
): void {
  const setHeaders = isPage ? ofPages : ofData;
  setHeaders(request, response, () => {});
}
