import { createHash, randomBytes } from 'node:crypto';

/** The stored hash of a secret of 256 random bits. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

export function newSecret(prefix: 'ses_' | 'link_' | 'oidc_'): string {
  return prefix + randomBytes(32).toString('base64url');
}
