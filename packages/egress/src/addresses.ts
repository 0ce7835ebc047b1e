import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Cidr = [Address, number];

/** Outside this block ipaddr.js (2.5.0) calls special addresses unicast: IPv4-compatible, RFC 9780, unassigned ones. */
const globalUnicastV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Public by the registries, but inside Azure it serves the secrets of a virtual machine. */
const platformV4 = ipaddr.IPv4.parseCIDR('168.63.129.16/32');

/** ipaddr.js parses IPv4-compatible addresses with dots as IPv4-mapped. */
const compatible = /^::\d+\./;

const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

export function parseCidr(text: string): Cidr {
  const value = text.trim();
  if (ipaddr.isValidCIDR(value)) return ipaddr.parseCIDR(value);
  if (!value.includes('/') && ipaddr.isValid(value)) {
    const address = ipaddr.parse(value);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  }
  throw new Error(`not a CIDR: ${JSON.stringify(text)}`);
}

export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (!address || address.range() !== 'unicast') return false;
  if (!isV6(address)) return !address.match(platformV4);
  return address.match(globalUnicastV6) && !isIsatap(address);
}

export function isInside(text: string, cidrs: Cidr[]): boolean {
  const address = parseAddress(text);
  return (
    address !== null && cidrs.some(([net, bits]) => net.kind() === address.kind() && address.match(net, bits))
  );
}

/** The same few clients send most requests. */
const canonicalAddresses = new LRUCache<string, { address: string | null }>({
  max: 1000,
  memoMethod: (text) => ({ address: parseAddress(text)?.toString() ?? null }),
});

export function canonicalAddress(text: string): string | null {
  return canonicalAddresses.memo(text).address;
}

/** IPv4-mapped and NAT64 become the IPv4 address inside. Other forms with one (6to4, Teredo, ISATAP) are never public. */
function parseAddress(text: string): Address | null {
  if (!ipaddr.isValid(text) || compatible.test(text)) return null;
  const address = ipaddr.parse(text);
  if (!isV6(address)) return address;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  return address.match(nat64) ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address;
}

function isV6(address: Address): address is ipaddr.IPv6 {
  return address.kind() === 'ipv6';
}

/** RFC 5214: an interface identifier of `[02]00:5efe` and an IPv4 address, under any prefix. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200);
}

export function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}

export function parseOrigin(text: string): string {
  const url = URL.parse(text.trim());
  // URL accepts hosts such as `*`.
  if (url && url.href === `${url.origin}/` && /^https?:\/\/[\w.:[\]-]+$/.test(url.origin)) return url.origin;
  throw new Error('not an origin, such as http://127.0.0.1:8790');
}
