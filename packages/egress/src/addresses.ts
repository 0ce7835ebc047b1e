import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Cidr = [Address, number];

const globalUnicastV6 = ipaddr.IPv6.parseCIDR('2000::/3');
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
  return !isV6(address) || address.match(globalUnicastV6);
}

export function isInside(text: string, cidrs: Cidr[]): boolean {
  const address = parseAddress(text);
  return (
    address !== null && cidrs.some(([net, bits]) => net.kind() === address.kind() && address.match(net, bits))
  );
}

/**
 * The address packets would end at: IPv4-mapped and NAT64 forms are replaced by the IPv4 address they carry.
 * 6to4 and Teredo keep their own range, which is never public.
 */
function parseAddress(text: string): Address | null {
  if (!ipaddr.isValid(text)) return null;
  const address = ipaddr.parse(text);
  if (!isV6(address)) return address;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  return address.match(nat64) ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address;
}

function isV6(address: Address): address is ipaddr.IPv6 {
  return address.kind() === 'ipv6';
}
