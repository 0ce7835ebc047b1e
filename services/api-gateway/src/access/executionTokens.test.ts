import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { openTokenSigner } from './executionTokens.ts';

const newKey = (id: string) => ({ id, key: randomBytes(32) });
const [first, second] = [newKey('k1'), newKey('k2')];
const claims = { executionId: 'exec_a', apiKeyId: 'key_a', expiresAtMs: 1_774_002_600_000 };

describe('an execution token', () => {
  it('is verified by every gateway with its key, wherever the key is in the list', () => {
    const token = openTokenSigner([first]).sign(claims);
    for (const keys of [[first], [second, first], [first, second]]) {
      expect(openTokenSigner(keys).verify(token)).toEqual(claims);
    }
    expect(openTokenSigner([second]).verify(token)).toBeNull();
  });

  it('is refused when any character is changed, dropped or added', () => {
    const { sign, verify } = openTokenSigner([first]);
    const token = sign(claims);
    const changed = Array.from(token, (char, at) => {
      const other = char === 'A' ? 'B' : 'A';
      return [token.slice(0, at) + other + token.slice(at + 1), token.slice(0, at) + token.slice(at + 1)];
    }).flat();
    expect([...changed, `${token}A`, `${token}=`, token.replace('.', ''), ''].filter(verify)).toEqual([]);
  });

  it('cannot be assembled from two tokens', () => {
    const { sign, verify } = openTokenSigner([first]);
    const [mine] = sign(claims).split('.');
    const [, theirs] = sign({ ...claims, executionId: 'exec_b' }).split('.');
    expect(verify(`${mine}.${theirs}`)).toBeNull();
  });
});
