import type { FoundApiKey } from '@holdfast/db/apiKeys';
import type { PortalSession } from '@holdfast/db/portalSessions';
import type { OperatorRole } from '@holdfast/domain/operators';
import { perResponse } from '../http/requestState.ts';
import type { TokenClaims } from './executionTokens.ts';

/** The API key that authenticated a request, or that created its execution token. */
export type Caller = Omit<FoundApiKey, 'validForMs'> & {
  /** Null: an API key or a session. */
  token: TokenClaims | null;
  /** The portal session that acts within this key; null: no session. */
  session: PortalSession | null;
};

/** Who makes a request of the admin API. `sessionId` null: with the token itself. */
export type Operator = { name: string; role: OperatorRole; sessionId: string | null };

/** Who makes a request. */
export type Identity = {
  /** The session below whose path the request was made. */
  portalSessionId: string | null;
  caller: Caller | null;
  operator: Operator | null;
  /** Looks the caller or operator up again; null where none is needed. @throws as authentication does */
  recheck: (() => Promise<unknown>) | null;
  /** Why there is no caller; thrown after the rate limit has counted the request. */
  accessError: Error | null;
};

const { open, of } = perResponse<Identity>('identity');

export const identityOf = of;

/** Until the request is authenticated, nobody makes it. */
export function openIdentity(response: Parameters<typeof open>[0], portalSessionId: string | null): void {
  open(response, { portalSessionId, caller: null, operator: null, recheck: null, accessError: null });
}
