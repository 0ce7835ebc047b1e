import { isIP } from 'node:net';
import { type Cidr, canonicalAddress, isInside, isPublicAddress, portOf } from './addresses.ts';

/** What a policy says, ready to be applied. */
export type Rules = {
  /** What the operator opened: any port, and no other rule about the address. */
  cidrs: Cidr[];
  allowHttp: boolean;
  /** What the operator opened of single hosts, as `URL.origin` writes it. */
  origins: Set<string>;
  /** Ports from 1024 on, beside 443 and 8443. */
  highPorts: boolean;
  /** Where this service itself is reached, as `hostKey` writes it. */
  ownHosts: Set<string>;
  /** Addresses behind names are unknown here: a proxy resolves them. */
  proxyResolves: boolean;
};

const maxUrlLength = 2048;
const publicPorts = new Set([443, 8443]);
const localSuffixes = ['.localhost', '.local', '.localdomain', '.internal', '.lan', '.home.arpa'];

/** What speaks against a URL without dialling it; null for nothing. All spellings of a host are one after parsing. */
export function urlProblem(text: string, rules: Rules): string | null {
  if (text.length > maxUrlLength) return `must be at most ${maxUrlLength} characters`;
  const url = URL.parse(text);
  if (!url) return 'must be an absolute URL';
  const isOpened = rules.origins.has(url.origin);
  // A `blob:` URL has the origin of what is inside it.
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && (rules.allowHttp || isOpened))) {
    return rules.allowHttp ? 'must use http or https' : 'must use https';
  }
  if (!isWrittenOut(text)) return 'must be written as https://host/path, without spaces or backslashes';
  if (url.username !== '' || url.password !== '') return 'must not carry a user name or password';
  if (isOpened) return null;
  const host = hostOf(url);
  // `127.0.0.1..` is a name to the parser.
  if (host.split('.').includes('')) return 'must name a host';
  return isIP(host) ? addressProblem(host, portOf(url), rules) : nameProblem(host, portOf(url), rules);
}

/** Whether a connection to this address and port may be made. */
export function isAllowed(address: string, port: number, rules: Rules): boolean {
  return (
    isInside(address, rules.cidrs) ||
    (isPublicPort(port, rules) && isPublicAddress(address) && !rules.ownHosts.has(hostKey(address)))
  );
}

/** One spelling for each host: addresses and names, with the root's dot or without, in any case. */
export function hostKey(host: string): string {
  const bare = unwrapped(host).toLowerCase();
  return canonicalAddress(bare) ?? bare;
}

const hostOf = (url: URL) => unwrapped(url.hostname);

/** The host without the brackets of an IPv6 literal and without the root's dot. */
function unwrapped(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/** The parser drops line breaks, turns backslashes and adds slashes: what is kept would not be what is dialled. */
function isWrittenOut(text: string): boolean {
  return /^https?:\/\/[^\p{Cc}\s\\]+$/iu.test(text);
}

function addressProblem(address: string, port: number, rules: Rules): string | null {
  if (isInside(address, rules.cidrs)) return null;
  if (!isPublicAddress(address)) return 'must not point to a private or reserved address';
  if (rules.ownHosts.has(hostKey(address))) return ownHostProblem;
  return isPublicPort(port, rules) ? null : portProblem(rules);
}

/** A name is judged by its addresses when it is dialled; here only what no answer could make right. */
function nameProblem(name: string, port: number, rules: Rules): string | null {
  const isLoopback = name === 'localhost' || name.endsWith('.localhost');
  const isClosed = isLoopback ? !opensLoopback(rules) : isLocalName(name) && !opensNames(rules);
  if (isClosed) return 'must not point to a local host';
  // What is opened on loopback is the operator's own machine, where this service and the receivers live together.
  if (!isLoopback && rules.ownHosts.has(name)) return ownHostProblem;
  return isPublicPort(port, rules) || opensNames(rules) ? null : portProblem(rules);
}

/**
 * What speaks against a URL that is to be stored. A name that anybody can own is held to the ports of public addresses,
 * although it may lead to an opened one: whether it does is only known where and when it is dialled.
 */
export function newUrlProblem(text: string, rules: Rules): string | null {
  const problem = urlProblem(text, rules);
  if (problem !== null) return problem;
  const url = new URL(text);
  const host = hostOf(url);
  const isJudged = rules.origins.has(url.origin) || isIP(host) !== 0 || isLocalName(host);
  return isJudged || isPublicPort(portOf(url), rules) ? null : portProblem(rules);
}

/** Names that lead out of a local network nowhere: loopback, names without a dot, and those of `localSuffixes`. */
function isLocalName(name: string): boolean {
  return !name.includes('.') || localSuffixes.some((suffix) => name.endsWith(suffix));
}

/** What is open is addresses: of use to a name only where its addresses are seen. */
const opensNames = ({ cidrs, proxyResolves }: Rules) => cidrs.length > 0 && !proxyResolves;

const opensLoopback = (rules: Rules) =>
  opensNames(rules) && (isInside('127.0.0.1', rules.cidrs) || isInside('::1', rules.cidrs));

const ownHostProblem = 'must not point to this service itself';

const isPublicPort = (port: number, { highPorts }: Rules) =>
  publicPorts.has(port) || (highPorts && port >= 1024);

const portProblem = ({ highPorts }: Rules) =>
  highPorts ? 'must use port 443, or one from 1024 on' : 'must use port 443 or 8443';
