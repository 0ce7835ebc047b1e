import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign } from 'node:crypto';
import type { EncryptionKeys } from './sealedBox.ts';

/** Ed25519 keys for those who verify without a secret. */
export type KeyPairs = {
  /** By the first of ENCRYPTION_KEYS. */
  sign(text: string): Buffer;
  /** The public keys of all, so that a key is known before it signs, and after. */
  jwks: { keys: Record<string, string>[] };
};

/** What a private key in PKCS #8 has before its 32 bytes. */
const privateKeyHead = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A pair for each of ENCRYPTION_KEYS, derived for this purpose alone. */
export function openKeyPairs(keys: EncryptionKeys, purpose: string): KeyPairs {
  const privateKeys = keys.map(({ key }) =>
    privateKeyOf(Buffer.from(hkdfSync('sha256', key, '', purpose, 32))),
  );
  return {
    sign(text) {
      const [first] = privateKeys;
      if (first === undefined) throw new Error('at least one encryption key is needed');
      return sign(null, Buffer.from(text), first);
    },
    jwks: { keys: privateKeys.map(jwkOf) },
  };
}

function privateKeyOf(seed: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([privateKeyHead, seed]), format: 'der', type: 'pkcs8' });
}

/** `x` is padded: Python's decoder, which fal's documentation uses as it is, refuses it otherwise. */
function jwkOf(privateKey: KeyObject): Record<string, string> {
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return { kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA', x: x.padEnd(44, '=') };
}

/** The keys of webhooks as fal signs them. */
export const openFalKeyPairs = (keys: EncryptionKeys): KeyPairs => openKeyPairs(keys, 'holdfast fal webhook');
