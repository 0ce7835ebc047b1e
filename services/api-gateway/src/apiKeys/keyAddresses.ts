import { isIP } from 'node:net';
import { ApiError } from '@holdfast/domain/errors';
import { canonicalAddress, isInside, parseCidr } from '@holdfast/egress/addresses';

/**
 * Whether a text is an address or a CIDR range, in full, as a key takes it. Not one that carries an IPv4 address: a client
 * is known by that, whatever form it comes in.
 */
export function isAddressRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0 || address.includes('%')) return false;
  if (isIP(canonicalAddress(address) ?? '') !== version) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** Whether every address of `range` lies in one of `ranges`. */
export function isRangeInside(range: string, ranges: readonly string[]): boolean {
  const [address, bits] = parseCidr(range);
  return ranges.map(parseCidr).some(([net, netBits]) => {
    return net.kind() === address.kind() && netBits <= bits && address.match(net, netBits);
  });
}

/** The address is that of the client, as TRUST_PROXY gives it. @throws ApiError FORBIDDEN */
export function requireAddress({ addresses }: { addresses: readonly string[] }, ip: string): void {
  if (addresses.length === 0 || isInside(ip, addresses.map(parseCidr))) return;
  throw new ApiError('FORBIDDEN', `This API key may not be used from this address (${ip}).`);
}
