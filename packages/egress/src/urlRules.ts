import { isIP } from 'node:net';
import { type Cidr, canonicalAddress, isInside, isPublicAddress, portOf } from './addresses.ts';

export type Rules = {
  cidrs: Cidr[];
  /** `loopback`: to this machine. */
  allowHttp: boolean | 'loopback';
  origins: Set<string>;
  highPorts: boolean;
  ownHosts: Set<string>;
  proxyResolves: boolean;
};

const maxUrlLength = 2048;
const publicPorts = new Set([443, 8443]);
const localSuffixes = ['.localhost', '.local', '.localdomain', '.internal', '.lan', '.home.arpa'];

/** Parsing makes all spellings of a host equal. Null: not refused. */
export function urlProblem(text: string, rules: Rules): string | null {
  if (text.length > maxUrlLength) return `must be at most ${maxUrlLength} characters`;
  const url = URL.parse(text);
  if (!url) return 'must be an absolute URL';
  const isAllowedOrigin = rules.origins.has(url.origin);
  // A `blob:` URL has the origin of the URL inside it.
  const mayBeHttp =
    isAllowedOrigin || rules.allowHttp === true || (rules.allowHttp === 'loopback' && isLoopback(url));
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && mayBeHttp)) return schemeProblem(url, rules);
  if (url.port === '0') return 'must not use port 0';
  if (!isComplete(text)) return 'must be written as https://host/path, without spaces or backslashes';
  if (url.username !== '' || url.password !== '') return 'must not carry a user name or password';
  if (isAllowedOrigin) return null;
  const host = hostOf(url);
  // The parser accepts `127.0.0.1..` as a name.
  if (host.split('.').includes('')) return 'must name a host';
  return isIP(host) ? addressProblem(host, portOf(url), rules) : nameProblem(host, portOf(url), rules);
}

function schemeProblem(url: URL, { allowHttp }: Rules): string {
  if (allowHttp === true) return 'must use http or https';
  if (url.protocol !== 'http:' || !isLoopback(url)) return 'must use https';
  return 'must use https; for a receiver on the machine of Holdfast, its operator sets WEBHOOK_ALLOW_HTTP=loopback and EGRESS_ALLOW_CIDRS=127.0.0.0/8';
}

const isLoopback = (url: URL) => isLoopbackName(hostOf(url)) || /^(127\.[\d.]+|::1)$/.test(hostOf(url));
const isLoopbackName = (name: string) => name === 'localhost' || name.endsWith('.localhost');

export function isAllowed(address: string, port: number, rules: Rules): boolean {
  return (
    isInside(address, rules.cidrs) ||
    (isPublicPort(port, rules) && isPublicAddress(address) && !rules.ownHosts.has(hostKey(address)))
  );
}

export function hostKey(host: string): string {
  const bare = unwrapped(host).toLowerCase();
  return canonicalAddress(bare) ?? bare;
}

const hostOf = (url: URL) => unwrapped(url.hostname);

function unwrapped(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/** The parser drops line breaks, replaces backslashes and adds slashes: the stored URL would differ from the dialled one. */
function isComplete(text: string): boolean {
  return /^https?:\/\/[^\p{Cc}\s\\]+$/iu.test(text);
}

function addressProblem(address: string, port: number, rules: Rules): string | null {
  if (isInside(address, rules.cidrs)) return null;
  if (!isPublicAddress(address)) return 'must not point to a private or reserved address';
  if (rules.ownHosts.has(hostKey(address))) return ownHostProblem;
  return isPublicPort(port, rules) ? null : portProblem(rules);
}

/** Refuses names that are wrong with any address; their addresses are checked when dialled. */
function nameProblem(name: string, port: number, rules: Rules): string | null {
  const isRefused = isLoopbackName(name) ? !allowsLoopback(rules) : isLocalName(name) && !allowsNames(rules);
  if (isRefused) return 'must not point to a local host';
  // On an allowed loopback address this service and the receivers share a machine.
  if (!isLoopbackName(name) && rules.ownHosts.has(name)) return ownHostProblem;
  return isPublicPort(port, rules) || allowsNames(rules) ? null : portProblem(rules);
}

/** For URLs to be stored: a public name gets only public ports, as its addresses are known only when it is dialled. */
export function newUrlProblem(text: string, rules: Rules): string | null {
  const problem = urlProblem(text, rules);
  if (problem !== null) return problem;
  const url = new URL(text);
  const host = hostOf(url);
  const isChecked = rules.origins.has(url.origin) || isIP(host) !== 0 || isLocalName(host);
  return isChecked || isPublicPort(portOf(url), rules) ? null : portProblem(rules);
}

function isLocalName(name: string): boolean {
  return !name.includes('.') || localSuffixes.some((suffix) => name.endsWith(suffix));
}

/** Allowed addresses apply to names only if their addresses are known here. */
const allowsNames = ({ cidrs, proxyResolves }: Rules) => cidrs.length > 0 && !proxyResolves;

const allowsLoopback = (rules: Rules) =>
  allowsNames(rules) && (isInside('127.0.0.1', rules.cidrs) || isInside('::1', rules.cidrs));

const ownHostProblem = 'must not point to this service itself';

const isPublicPort = (port: number, { highPorts }: Rules) =>
  publicPorts.has(port) || (highPorts && port >= 1024);

const portProblem = ({ highPorts }: Rules) =>
  highPorts ? 'must use port 443, or one from 1024 on' : 'must use port 443 or 8443';
