import { isIP } from 'node:net';
import type { ApiKeyBounds } from '@holdfast/db/apiKeys';
import { scopesOf } from '@holdfast/domain/apiKey';
import { ApiError } from '@holdfast/domain/errors';
import { canonicalAddress, isInside, parseCidr } from '@holdfast/egress/addresses';
import type { ApiKeyRequest } from './keyRequest.ts';

/** What an operator's keys are made within: nothing. */
export const unbounded: ApiKeyBounds = {
  scopes: scopesOf('full', null),
  expiresAt: null,
  models: [],
  addresses: [],
};

/** What a new key is to reach; what the request leaves out is as the maker's. @throws ApiError FORBIDDEN */
export function boundsFor(maker: ApiKeyBounds, asked: ApiKeyRequest): ApiKeyBounds {
  const bounds = {
    scopes:
      asked.permissions || asked.scopes
        ? scopesOf(asked.permissions ?? 'full', asked.scopes ?? null)
        : maker.scopes,
    expiresAt: asked.expires_at === undefined ? maker.expiresAt : new Date(asked.expires_at),
    models: asked.models ?? maker.models,
    addresses: asked.addresses ?? maker.addresses,
  };
  requireWithin(maker, bounds);
  return bounds;
}

/** A key makes, and gets the value of, no key that may do more than itself. @throws ApiError FORBIDDEN */
export function requireWithin(maker: ApiKeyBounds, bounds: ApiKeyBounds): void {
  const beyond = firstBeyond(maker, bounds);
  if (beyond === null) return;
  throw new ApiError(
    'FORBIDDEN',
    `An API key can't make or rotate one that may do more than itself: ${beyond}.`,
  );
}

function firstBeyond(maker: ApiKeyBounds, bounds: ApiKeyBounds): string | null {
  const scope = bounds.scopes.find((one) => !maker.scopes.includes(one));
  if (scope) return `it lacks the scope \`${scope}\``;
  if (maker.expiresAt && (!bounds.expiresAt || bounds.expiresAt > maker.expiresAt)) {
    return `it expires at ${maker.expiresAt.toISOString()}`;
  }
  if (!isNarrower(bounds.models, maker.models, (slug) => maker.models.includes(slug))) {
    return `its models are ${maker.models.join(', ')}`;
  }
  const isWithin = (range: string) => isRangeInside(range, maker.addresses);
  if (isNarrower(bounds.addresses, maker.addresses, isWithin)) return null;
  return `its addresses are ${maker.addresses.join(', ')}`;
}

/** Empty lists are without a bound. */
function isNarrower(list: string[], than: string[], isWithin: (one: string) => boolean): boolean {
  return than.length === 0 || (list.length > 0 && list.every(isWithin));
}

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
