import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { openKeyPairs } from './keyPairs.ts';
import type { EncryptionKeys } from './sealedBox.ts';

const keyNamed = (id: string): EncryptionKeys[number] => ({ id, key: randomBytes(32) });
const [first, second] = [keyNamed('k1'), keyNamed('k2')];
const open = (keys: EncryptionKeys, purpose = 'test') => openKeyPairs(keys, purpose);

/** Which of the published keys signed it. */
function signersOf({ sign, jwks }: ReturnType<typeof open>) {
  const signature = sign('text');
  return jwks.keys.filter((key) =>
    verify(null, Buffer.from('text'), createPublicKey({ key, format: 'jwk' }), signature),
  );
}

describe('key pairs', () => {
  it('sign with the first key, and publish those of all while the key is rotated', () => {
    const steps = [[first], [first, second], [second, first], [second]].map((keys) => open(keys));
    expect(steps.map(({ jwks }) => jwks.keys.length)).toEqual([1, 2, 2, 1]);
    const signers = steps.map(signersOf);
    expect(signers).toEqual(steps.map(({ jwks }) => [jwks.keys[0]]));
    expect(steps[1]?.jwks.keys).toEqual(steps[2]?.jwks.keys.toReversed());
  });

  it('differ by purpose', () => {
    expect(open([first]).jwks).not.toEqual(open([first], 'another').jwks);
  });

  it("have public keys that Python's decoder takes without padding", () => {
    const [{ x = '' } = {}] = open([first]).jwks.keys;
    expect([x.length, Buffer.from(x, 'base64url').length]).toEqual([44, 32]);
  });
});
