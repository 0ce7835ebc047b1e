import { describe, expect, it } from '@jest/globals';
import { apiKeyOf, apiKeyPrefix, hashApiKey, isApiKeyShape, newApiKey } from './apiKey.ts';

describe('an API key', () => {
  it('is sk_, 64 hex, _, 8 hex of CRC32: 76 characters', () => {
    const key = newApiKey();
    expect(key).toMatch(/^sk_[0-9a-f]{64}_[0-9a-f]{8}$/);
    expect(key).toHaveLength(76);
    expect(isApiKeyShape(key)).toBe(true);
    expect(newApiKey()).not.toBe(key);
  });

  it('carries the standard CRC32, with leading zeros', () => {
    expect(
      isApiKeyShape('sk_0000000000000000000000000000000000000000000000000000000000000124_00282867'),
    ).toBe(true);
  });

  it('is always the same for the same secret', () => {
    const secret = `${'0'.repeat(61)}124`;
    expect(apiKeyOf(secret)).toBe(`sk_${secret}_00282867`);
  });

  it('with a typo is refused before any look-up', () => {
    const key = newApiKey();
    for (const index of [3, 30, 66, 68, 75]) {
      const typo = key[index] === '0' ? '1' : '0';
      expect(isApiKeyShape(key.slice(0, index) + typo + key.slice(index + 1))).toBe(false);
    }
  });

  it.each([
    '',
    'sk_',
    'Bearer',
    `sk_${'g'.repeat(64)}_00000000`,
    `${newApiKey()}\n`,
    newApiKey().toUpperCase(),
  ])('is not %j', (text) => {
    expect(isApiKeyShape(text)).toBe(false);
  });

  it('is stored as SHA-256 and shown by its first characters', () => {
    expect(hashApiKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(apiKeyPrefix(`sk_12345678${'0'.repeat(65)}`)).toBe('sk_12345678');
  });
});
