import { isIP } from 'node:net';
import type { ApiKeyBounds } from '@holdfast/db/apiKeys';
import { scopesOf } from '@holdfast/domain/apiKey';
import { ApiError } from '@holdfast/domain/errors';
import { canonicalAddress, isInside, parseCidr } from '@holdfast/egress/addresses';
import type { ApiKeyRequest } from './keyRequest.ts';

/** The bounds of an operator, who may create any key. */
export const unbounded: ApiKeyBounds = {
  scopes: scopesOf('full', null),
  expiresAt: null,
  models: [],
  addresses: [],
};

/** The bounds of a new key. Fields that the request omits are the creator's. @throws ApiError FORBIDDEN */
export function boundsFor(creator: ApiKeyBounds, request: ApiKeyRequest): ApiKeyBounds {
  const bounds = {
    scopes:
      request.permissions || request.scopes
        ? scopesOf(request.permissions ?? 'full', request.scopes ?? null)
        : creator.scopes,
    expiresAt: request.expires_at === undefined ? creator.expiresAt : new Date(request.expires_at),
    models: request.models ?? creator.models,
    addresses: request.addresses ?? creator.addresses,
  };
  requireWithin(creator, bounds);
  return bounds;
}

/** A key cannot create, rotate or revoke a key with wider bounds than its own. @throws ApiError FORBIDDEN */
export function requireWithin(creator: ApiKeyBounds, bounds: ApiKeyBounds): void {
  const excess = findExcess(creator, bounds);
  if (excess === null) return;
  throw new ApiError(
    'FORBIDDEN',
    `An API key cannot create, rotate or revoke a key with wider access than its own: ${excess}.`,
  );
}

function findExcess(creator: ApiKeyBounds, bounds: ApiKeyBounds): string | null {
  const scope = bounds.scopes.find((one) => !creator.scopes.includes(one));
  if (scope) return `it lacks the scope \`${scope}\``;
  if (creator.expiresAt && (!bounds.expiresAt || bounds.expiresAt > creator.expiresAt)) {
    return `it expires at ${creator.expiresAt.toISOString()}`;
  }
  if (!isNarrower(bounds.models, creator.models, (slug) => creator.models.includes(slug))) {
    return `its models are ${creator.models.join(', ')}`;
  }
  const isWithin = (range: string) => isRangeInside(range, creator.addresses);
  if (isNarrower(bounds.addresses, creator.addresses, isWithin)) return null;
  return `its addresses are ${creator.addresses.join(', ')}`;
}

/** An empty list has no bound. */
function isNarrower(list: string[], than: string[], isWithin: (one: string) => boolean): boolean {
  return than.length === 0 || (list.length > 0 && list.every(isWithin));
}

/** Whether a text is an address or a CIDR range. IPv4 in IPv6 is refused, because clients are matched by canonical address. */
export function isAddressRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0 || address.includes('%')) return false;
  if (isIP(canonicalAddress(address) ?? '') !== version) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** Whether one of `ranges` contains all of `range`. */
export function isRangeInside(range: string, ranges: readonly string[]): boolean {
  const [address, bits] = parseCidr(range);
  return ranges.map(parseCidr).some(([net, netBits]) => {
    return net.kind() === address.kind() && netBits <= bits && address.match(net, netBits);
  });
}

/** `ip` is the client's, as TRUST_PROXY determines it. @throws ApiError FORBIDDEN */
export function requireAddress({ addresses }: { addresses: readonly string[] }, ip: string): void {
  if (addresses.length === 0 || isInside(ip, addresses.map(parseCidr))) return;
  throw new ApiError('FORBIDDEN', `This API key may not be used from the address ${ip}.`);
}
