import type { EncryptionKeys } from '@holdfast/kit/sealedBox';
import { openSigner } from '@holdfast/kit/signer';

/** What a token grants: reading this execution until then, within what its API key may do. */
export type TokenClaims = {
  executionId: string;
  apiKeyId: string;
  expiresAtMs: number;
  /** Closing the stream of the output may cancel the execution. */
  mayCancel?: boolean;
};

/** An `EventSource` sends no headers, nor does Replicate's client here: they have the token in its URL. */
const inUrl =
  /^\/v1\/(?:executions|replicate(?:\/v1)?\/predictions)\/[^/?]+\/stream\?(?:[^#]*&)?token=(ext_[\w.-]+)(?:&|$)/;

export function tokenInUrl(url: string): string | null {
  return inUrl.exec(url)?.[1] ?? null;
}

export type TokenSigner = {
  sign(claims: TokenClaims): string;
  /** Null when no key of ours signed it. Does not check the expiry. */
  verify(token: string): TokenClaims | null;
};

export function isTokenShaped(credential: string): boolean {
  return credential.startsWith('ext_');
}

export function openTokenSigner(keys: EncryptionKeys): TokenSigner {
  const signer = openSigner(keys, 'holdfast execution token');
  return {
    sign: ({ executionId, apiKeyId, expiresAtMs, mayCancel }) =>
      `ext_${signer.sign([executionId, apiKeyId, expiresAtMs, ...(mayCancel ? [true] : [])])}`,
    verify(token) {
      const claims = isTokenShaped(token) ? signer.verify(token.slice('ext_'.length)) : null;
      if (claims === null) return null;
      const [executionId, apiKeyId, expiresAtMs, mayCancel] = claims as [string, string, number, boolean?];
      return { executionId, apiKeyId, expiresAtMs, ...(mayCancel === true && { mayCancel }) };
    },
  };
}
