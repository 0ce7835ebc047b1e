import type { LookupFunction } from 'node:net';
import { parseCidr, parseOrigin } from './addresses.ts';
import { type Resolve, resolveAll } from './lookUp.ts';
import { type Proxy, parseProxyUrl } from './proxy.ts';
import { hostKey, isAllowed, newUrlProblem, type Rules, urlProblem } from './urlProblem.ts';

export type EgressPolicy = {
  /** What can be said of a URL without dialling; null when nothing speaks against it. */
  checkUrl(url: string): UrlProblem | null;
  /** The same of a URL that is to be stored: names are held to the ports that public addresses have. */
  checkNewUrl(url: string): UrlProblem | null;
  /** A `dns.lookup` for connections to `port` that fails with code `EGRESS_REFUSED` unless every answer is allowed. */
  lookupFor(port: number): LookupFunction;
  /** Whether the operator opened this origin, as `URL.origin` writes it: dialled as it is, past the proxy. */
  opensOrigin(origin: string): boolean;
  /** Through which all of it goes; null: dialled from here. */
  proxy: (Proxy & { resolves: boolean }) | null;
  /** What is open beyond the default, for a line at start-up. */
  openings: string[];
};

type UrlProblem = { code: 'INVALID_URL'; message: string };

export type EgressSettings = {
  allowCidrs: string[];
  allowHttp: boolean;
  /** As `parseOrigin` takes them: opened whatever else is said of their hosts and ports, and nothing beside them. */
  allowOrigins?: string[];
  /** Ports 1024-65535 of public addresses, too. */
  highPorts?: boolean;
  /** Hosts at which this service itself is reached; refused. */
  ownHosts?: string[];
  /** An HTTP proxy, as `http://user:password@host:port`. */
  proxyUrl?: string | undefined;
  /** Names are resolved by the proxy, which then has to refuse what must not be reached. */
  proxyResolves?: boolean;
  resolve?: Resolve;
};

/** The design's "Egress policy": where webhooks and foreign file URLs may be dialled. Throws on malformed settings. */
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
    ...(cidrs.length > 0 ? [`addresses in ${texts.join(', ')} may be dialled on any port`] : []),
    ...(origins.size > 0 ? [`webhooks may go to ${[...origins].join(', ')}`] : []),
    ...(highPorts ? ['ports 1024-65535 of public addresses are allowed'] : []),
    ...(allowHttp ? ['plain http URLs are allowed'] : []),
    ...(proxyResolves ? ['the proxy resolves names: their addresses are checked by it alone'] : []),
  ];
}

/** All answers must be allowed: Node may dial any of them. The message names no address, for tenants may read it. */
function guardedLookup(resolve: Resolve, allowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, options, (error, addresses) => {
      if (error) return callback(error, []);
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => allowed(address))) {
        return callback(refusal(hostname), []);
      }
      if (options.all) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}

function refusal(hostname: string): NodeJS.ErrnoException {
  const error = new Error(`${hostname} resolves to an address or port that is not allowed`);
  return Object.assign(error, { code: 'EGRESS_REFUSED' });
}

/** What a URL comes to under a policy: where to dial and what to ask for there. */
export type Target = { origin: string; path: string };

const maxTargets = 2048;
const targetsByPolicy = new WeakMap<EgressPolicy, Map<string, Target>>();

/** The policy's word on a URL, and its parts. Both follow from the text alone, so recent ones are kept. */
export function targetOf(policy: EgressPolicy, url: string): Target | UrlProblem {
  const targets = targetsOf(policy);
  const known = targets.get(url);
  if (known) return known;
  const problem = policy.checkUrl(url);
  if (problem) return problem;
  const { origin, pathname, search } = new URL(url);
  const target = { origin, path: pathname + search };
  const [oldest] = targets.keys();
  if (targets.size >= maxTargets && oldest !== undefined) targets.delete(oldest);
  targets.set(url, target);
  return target;
}

function targetsOf(policy: EgressPolicy): Map<string, Target> {
  const existing = targetsByPolicy.get(policy);
  if (existing) return existing;
  const targets = new Map<string, Target>();
  targetsByPolicy.set(policy, targets);
  return targets;
}
