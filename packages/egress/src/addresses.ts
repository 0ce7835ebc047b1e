import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Cidr = [Address, number];

/**
 * The library's table of special ranges (2.5.0) has every IPv4 one, and every IPv6 one inside this block. Outside it
 * calls ordinary what is not: IPv4-compatible addresses, the dummy prefix of RFC 9780, all that nobody was given yet.
 */
const globalUnicastV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Ordinary by the registries, but answered inside a data centre: Azure's platform, with the secrets of a machine. */
const platformV4 = ipaddr.IPv4.parseCIDR('168.63.129.16/32');

/** IPv4-compatible in dots: the library reads it as IPv4-mapped. */
const compatible = /^::\d+\./;

/** A translator for everybody; 64:ff9b:1::/48 is for local ones, which put the IPv4 address where they like. */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/** Parses `10.0.0.0/8`, `::1/128`, or a bare address (that one alone). Throws on anything else. */
export function parseCidr(text: string): Cidr {
  const value = text.trim();
  if (ipaddr.isValidCIDR(value)) return ipaddr.parseCIDR(value);
  if (!value.includes('/') && ipaddr.isValid(value)) {
    const address = ipaddr.parse(value);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  }
  throw new Error(`not a CIDR: ${JSON.stringify(text)}`);
}

/** True for an address anyone on the internet could reach; false for the rest and for what is no address. */
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

/** One spelling for each address; null for what is none. */
export function canonicalAddress(text: string): string | null {
  return parseAddress(text)?.toString() ?? null;
}

/**
 * The address packets would end at: IPv4-mapped and NAT64 forms are replaced by the IPv4 address they carry. The other
 * forms that carry one (compatible, translated, 6to4, Teredo, ISATAP, local NAT64) stay what they are, never public.
 */
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

/** The port a URL is dialled on. */
export function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}

/** `http://127.0.0.1:8790`, as `URL.origin` writes it. Throws on what is more than scheme, host and port, or less. */
export function parseOrigin(text: string): string {
  const url = URL.parse(text.trim());
  // The parser takes hosts such as `*` for names.
  if (url && url.href === `${url.origin}/` && /^https?:\/\/[\w.:[\]-]+$/.test(url.origin)) return url.origin;
  throw new Error('not an origin, such as http://127.0.0.1:8790');
}
