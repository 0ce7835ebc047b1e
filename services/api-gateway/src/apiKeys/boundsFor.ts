import type { ApiKeyBounds } from '@holdfast/db/apiKeys';
import { scopesOf } from '@holdfast/domain/apiKey';
import { ApiError } from '@holdfast/domain/errors';
import { isRangeInside } from './keyAddresses.ts';
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
