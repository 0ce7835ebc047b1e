import { createHmac, hkdfSync } from 'node:crypto';
import { isSameSecret } from '@holdfast/domain/constantTime';
import type { EncryptionKeys } from './sealedBox.ts';

/** Signs JSON as `<base64url>.<signature>`. */
export type Signer = {
  sign(value: unknown): string;
  /** The signed value; null when no key of ours signed it. */
  verify(text: string): unknown;
};

const shape = /^([\w-]{1,400})\.([\w-]{43})$/;

/** Signs with the first of ENCRYPTION_KEYS and verifies with all, each by a key derived for this purpose alone. */
export function openSigner(keys: EncryptionKeys, purpose: string): Signer {
  const derived = keys.map(({ key }) => Buffer.from(hkdfSync('sha256', key, '', purpose, 32)));
  return {
    sign(value) {
      const payload = Buffer.from(JSON.stringify(value)).toString('base64url');
      return `${payload}.${signatureOf(derived[0] ?? Buffer.alloc(0), payload)}`;
    },
    verify(text) {
      const [, payload = '', signature = ''] = shape.exec(text) ?? [];
      if (!derived.some((key) => isSameSecret(signatureOf(key, payload), signature))) return null;
      return JSON.parse(Buffer.from(payload, 'base64url').toString());
    },
  };
}

function signatureOf(key: Buffer, payload: string): string {
  return createHmac('sha256', key).update(payload).digest('base64url');
}

/** Signs the URLs at which anyone may read a file, as long as there is one. */
export const openFileLinks = (keys: EncryptionKeys): Signer => openSigner(keys, 'holdfast file link');

export type LinkedFile = { organizationId: string; id: string };

/** The end of such a URL. */
export function fileLink(signer: Signer, { organizationId, id }: LinkedFile, filename: string): string {
  return `${signer.sign([organizationId, id])}/${encodeURIComponent(filename)}`;
}
