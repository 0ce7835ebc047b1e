import { createHmac, hkdfSync } from 'node:crypto';
import { isSameSecret } from '@holdfast/domain/constantTime';
import type { EncryptionKeys } from '@holdfast/kit/sealedBox';

/** What a token grants: reading this execution until then, within what its API key may do. */
export type TokenClaims = {
  executionId: string;
  apiKeyId: string;
  expiresAtMs: number;
  /** Closing the stream of the output may cancel the execution. */
  mayCancel?: boolean;
};

/** An `EventSource` sends no headers: it has the token in its URL. */
const inUrl = /^\/v1\/executions\/[^/?]+\/stream\?(?:[^#]*&)?token=(ext_[\w.-]+)(?:&|$)/;

export function tokenInUrl(url: string): string | null {
  return inUrl.exec(url)?.[1] ?? null;
}

export type TokenSigner = {
  sign(claims: TokenClaims): string;
  /** Null when no key of ours signed it. Does not check the expiry. */
  verify(token: string): TokenClaims | null;
};

const shape = /^ext_([\w-]{1,400})\.([\w-]{43})$/;

export function isTokenShaped(credential: string): boolean {
  return credential.startsWith('ext_');
}

/** Signs with the first of ENCRYPTION_KEYS and verifies with all, each by a key derived for this purpose alone. */
export function openTokenSigner(keys: EncryptionKeys): TokenSigner {
  const derived = keys.map(({ key }) =>
    Buffer.from(hkdfSync('sha256', key, '', 'holdfast execution token', 32)),
  );
  return {
    sign({ executionId, apiKeyId, expiresAtMs, mayCancel }) {
      const text = JSON.stringify([executionId, apiKeyId, expiresAtMs, ...(mayCancel ? [true] : [])]);
      const payload = Buffer.from(text).toString('base64url');
      return `ext_${payload}.${signatureOf(derived[0] ?? Buffer.alloc(0), payload)}`;
    },
    verify(token) {
      const [, payload = '', signature = ''] = shape.exec(token) ?? [];
      if (!derived.some((key) => isSameSecret(signatureOf(key, payload), signature))) return null;
      const [executionId, apiKeyId, expiresAtMs, mayCancel] = JSON.parse(
        Buffer.from(payload, 'base64url').toString(),
      );
      return { executionId, apiKeyId, expiresAtMs, ...(mayCancel === true && { mayCancel }) };
    },
  };
}

function signatureOf(key: Buffer, payload: string): string {
  return createHmac('sha256', key).update(payload).digest('base64url');
}
