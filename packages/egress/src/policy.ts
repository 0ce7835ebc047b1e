import type { LookupFunction } from 'node:net';
import { parseCidr, parseOrigin } from './addresses.ts';
import { type Resolve, resolveAll } from './nameLookup.ts';
import { type Proxy, parseProxyUrl } from './proxy.ts';
import { hostKey, isAllowed, newUrlProblem, type Rules, urlProblem } from './urlRules.ts';

export type EgressPolicy = {
  checkUrl(url: string): UrlProblem | null;
  /** For URLs to be stored: names may only have the ports of public addresses. */
  checkNewUrl(url: string): UrlProblem | null;
  /** A `dns.lookup` for connections to `port` that fails with code `EGRESS_REFUSED` unless every address is allowed. */
  lookupFor(port: number): LookupFunction;
  opensOrigin(origin: string): boolean;
  proxy: (Proxy & { resolves: boolean }) | null;
  openings: string[];
};

export type UrlProblem = { code: 'INVALID_URL'; message: string };

export type EgressSettings = {
  allowCidrs: string[];
  allowHttp: boolean | 'loopback';
  allowOrigins?: string[];
  highPorts?: boolean;
  ownHosts?: string[];
  proxyUrl?: string | undefined;
  /** The proxy resolves names, and must itself refuse private addresses. */
  proxyResolves?: boolean;
  resolve?: Resolve;
};

/** Where webhooks and output files on other hosts may be dialled (design, "Egress policy"). @throws for invalid settings */
export function createEgressPolicy(settings: EgressSettings): EgressPolicy {
  const { allowHttp, allowOrigins = [], highPorts = false, ownHosts = [] } = settings;
  const { proxyUrl, resolve = resolveAll } = settings;
  const proxyResolves = proxyUrl !== undefined && settings.proxyResolves === true;
  const rules: Rules = {
    cidrs: settings.allowCidrs.filter((text) => text.trim() !== '').map(parseCidr),
    allowHttp,
    origins: new Set(allowOrigins.map(parseOrigin)),
    highPorts,
    ownHosts: new Set(ownHosts.map(hostKey)),
    proxyResolves,
  };
  return {
    checkUrl: (url) => toProblem(urlProblem(url, rules)),
    checkNewUrl: (url) => toProblem(newUrlProblem(url, rules)),
    lookupFor: (port) => guardedLookup(resolve, (address) => isAllowed(address, port, rules)),
    opensOrigin: (origin) => rules.origins.has(origin),
    proxy: proxyUrl === undefined ? null : { ...parseProxyUrl(proxyUrl), resolves: proxyResolves },
    openings: openingsOf(rules, settings.allowCidrs),
  };
}

const toProblem = (message: string | null): UrlProblem | null =>
  message === null ? null : { code: 'INVALID_URL', message };

function openingsOf(rules: Rules, texts: string[]): string[] {
  const { cidrs, origins, highPorts, allowHttp, proxyResolves } = rules;
  return [
    ...(cidrs.length > 0 ? [`addresses in ${texts.join(', ')} may be connected to on any port`] : []),
    ...(origins.size > 0 ? [`webhooks may go to ${[...origins].join(', ')}`] : []),
    ...(highPorts ? ['ports 1024-65535 of public addresses are allowed'] : []),
    ...(allowHttp
      ? [`plain http URLs${allowHttp === 'loopback' ? ' to this machine' : ''} are allowed`]
      : []),
    ...(proxyResolves ? ['the proxy resolves names and checks their addresses'] : []),
  ];
}

/** Every address must be allowed, as Node may dial any of them. Tenants read the message, so it contains no address. */
function guardedLookup(resolve: Resolve, allowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, options, (error, addresses) => {
      if (error) return callback(error, []);
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => allowed(address))) {
        return callback(notAllowed(hostname), []);
      }
      if (options.all) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}

function notAllowed(hostname: string): NodeJS.ErrnoException {
  const error = new Error(`${hostname} resolves to an address or port that is not allowed`);
  return Object.assign(error, { code: 'EGRESS_REFUSED' });
}
