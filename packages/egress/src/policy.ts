import { isIP, type LookupFunction } from 'node:net';
import { type Cidr, isInside, isPublicAddress, parseCidr } from './addresses.ts';
import { type Resolve, resolveAll } from './resolve.ts';

export type EgressPolicy = {
  /** What can be said of a URL without dialling; null when nothing speaks against it. */
  checkUrl(url: string): UrlProblem | null;
  /** A `dns.lookup` for connections to `port` that fails with code `EGRESS_REFUSED` unless every answer is allowed. */
  lookupFor(port: number): LookupFunction;
  /** What is open beyond the default, for a line at start-up. */
  openings: string[];
};

export type UrlProblem = { code: 'INVALID_URL'; message: string };

export type EgressSettings = { allowCidrs: string[]; allowHttp: boolean; resolve?: Resolve };

const maxUrlLength = 2048;
const publicPorts = new Set([443, 8443]);
const localSuffixes = ['.local', '.localdomain', '.internal', '.lan', '.home.arpa'];

/** The design's "Egress policy": where webhooks and foreign file URLs may be dialled. Throws on a malformed CIDR. */
export function createEgressPolicy(settings: EgressSettings): EgressPolicy {
  const cidrs = settings.allowCidrs.filter((text) => text.trim() !== '').map(parseCidr);
  const resolve = settings.resolve ?? resolveAll;
  return {
    checkUrl: (url) => {
      const message = describeProblem(url, cidrs, settings.allowHttp);
      return message === null ? null : { code: 'INVALID_URL', message };
    },
    lookupFor: (port) => guardedLookup(resolve, (address) => isAllowed(address, port, cidrs)),
    openings: [
      ...(cidrs.length > 0
        ? [`addresses in ${settings.allowCidrs.join(', ')} may be dialled on any port`]
        : []),
      ...(settings.allowHttp ? ['plain http URLs are allowed'] : []),
    ],
  };
}

/** The port a URL is dialled on. */
export function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}

/** The host without the brackets of an IPv6 literal and without the root's dot. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

function describeProblem(text: string, cidrs: Cidr[], allowHttp: boolean): string | null {
  if (text.length > maxUrlLength) return `must be at most ${maxUrlLength} characters`;
  const url = URL.parse(text);
  if (!url) return 'must be an absolute URL';
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) {
    return allowHttp ? 'must use http or https' : 'must use https';
  }
  if (!isWrittenOut(text)) return 'must be written as https://host/path, without spaces or backslashes';
  if (url.username !== '' || url.password !== '') return 'must not carry a user name or password';
  const host = hostOf(url);
  if (host === '') return 'must name a host';
  return isIP(host) ? describeAddress(host, portOf(url), cidrs) : describeName(host, portOf(url), cidrs);
}

/** The parser drops line breaks, turns backslashes and adds slashes: what is kept would not be what is dialled. */
function isWrittenOut(text: string): boolean {
  return /^https?:\/\/[^\p{Cc}\s\\]+$/iu.test(text);
}

function describeAddress(address: string, port: number, cidrs: Cidr[]): string | null {
  if (isInside(address, cidrs)) return null;
  if (!isPublicAddress(address)) return 'must not point to a private or reserved address';
  return publicPorts.has(port) ? null : 'must use port 443 or 8443';
}

/** A name is judged by its addresses when it is dialled; here only what no answer could make right. */
function describeName(name: string, port: number, cidrs: Cidr[]): string | null {
  if (isLocalName(name, cidrs)) return 'must not point to a local host';
  return publicPorts.has(port) || cidrs.length > 0 ? null : 'must use port 443 or 8443';
}

function isLocalName(name: string, cidrs: Cidr[]): boolean {
  if (name === 'localhost' || name.endsWith('.localhost')) {
    return !isInside('127.0.0.1', cidrs) && !isInside('::1', cidrs);
  }
  const isLocal = !name.includes('.') || localSuffixes.some((suffix) => name.endsWith(suffix));
  return isLocal && cidrs.length === 0;
}

function isAllowed(address: string, port: number, cidrs: Cidr[]): boolean {
  return isInside(address, cidrs) || (publicPorts.has(port) && isPublicAddress(address));
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
