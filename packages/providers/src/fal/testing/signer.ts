import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { falSignedText } from '@holdfast/domain/falSignature';

/** Signs webhooks as the provider does, and publishes the key to verify them with. */
export type Signer = {
  headers(body: Buffer, how: { requestId: string; atS: number }): Record<string, string>;
  jwks(): { keys: object[] };
};

const userId = 'github|1234';

export function createSigner(): Signer {
  const { privateKey } = generateKeyPairSync('ed25519');
  return {
    headers(body, { requestId, atS }) {
      const text = falSignedText(requestId, userId, String(atS), body);
      return {
        'x-fal-webhook-request-id': requestId,
        'x-fal-webhook-user-id': userId,
        'x-fal-webhook-timestamp': String(atS),
        'x-fal-webhook-signature': sign(null, Buffer.from(text), privateKey).toString('hex'),
      };
    },
    jwks: () => ({ keys: [createPublicKey(privateKey).export({ format: 'jwk' })] }),
  };
}
