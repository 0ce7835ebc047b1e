import { describe, expect, it } from '@jest/globals';
import { deriveKey, type KeyPart, readIdempotencyKey } from './idempotencyKey.ts';

describe('a derived key', () => {
  it('follows from the data, whatever the order of its names', async () => {
    const key = await deriveKey({ order: 17, items: ['é', null, true] });
    expect(key).toBe(await deriveKey({ items: ['é', null, true], order: 17 }));
    expect(key).toMatch(/^order_[0-9a-f]{64}$/);
    expect(key).not.toBe(await deriveKey({ order: 18, items: ['é', null, true] }));
  });

  it('is the SHA-256 of canonical JSON', async () => {
    // printf '"A-17"' | sha256sum
    expect(await deriveKey('A-17')).toBe(
      'order_5869e152f5b9bad794c00ecfd3ac084b878ce6a21c6ec05cc3c1a86b348dd079',
    );
  });

  it.each([
    undefined,
    null,
    '',
    0.1,
    Number.NaN,
    { price: 1.5 },
    new Date(),
    { at: new Date() },
    new Map(),
    {},
    [''],
    { order: null },
  ])('is refused for %j', async (order) => {
    await expect(deriveKey(order as KeyPart)).rejects.toBeInstanceOf(TypeError);
  });
});

describe('an idempotency key', () => {
  it.each(['', 'x'.repeat(256), 'naïve', 'line\n', ' before', 'after ', '[object Promise]'])(
    'is refused as %j',
    async (key) => {
      await expect(readIdempotencyKey(key)).rejects.toBeInstanceOf(TypeError);
    },
  );

  it('is random by default', async () => {
    expect(await readIdempotencyKey(undefined)).not.toBe(await readIdempotencyKey(undefined));
  });
});
