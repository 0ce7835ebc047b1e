import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createSealedBox, encryptionKeys, keyIdOf } from './sealedBox.ts';

const entry = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const boxOf = (text: string) => createSealedBox(encryptionKeys.parse(text));

describe('a sealed box', () => {
  it('opens what it sealed, and seals the same text differently each time', () => {
    const box = boxOf(entry('k1'));
    const [first, second] = [box.seal('wörd 😀'), box.seal('wörd 😀')];
    expect(first).not.toBe(second);
    expect([box.open(first), box.open(second), box.open(box.seal(''))]).toEqual(['wörd 😀', 'wörd 😀', '']);
  });

  it('opens what an earlier key sealed, and seals with the first key', () => {
    const [older, newer] = [entry('old'), entry('new')];
    const sealed = boxOf(older).seal('kept');
    const rotated = boxOf(`${newer}, ${older}`);
    expect(rotated.open(sealed)).toBe('kept');
    expect([keyIdOf(rotated.seal('x')), keyIdOf(sealed)]).toEqual(['new', 'old']);
    expect(rotated.keyIds).toEqual(['new', 'old']);
    expect(() => boxOf(newer).open(sealed)).toThrow('no encryption key with id old');
  });

  it('does not open a changed or shortened text, or one of another key with the same id', () => {
    const box = boxOf(entry('k1'));
    const sealed = box.seal('secret');
    const bytes = Buffer.from(sealed.slice(3), 'base64');
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    expect(() => box.open(`k1.${bytes.toString('base64')}`)).toThrow();
    expect(() => box.open(sealed.slice(0, 20))).toThrow();
    expect(() => box.open('')).toThrow();
    expect(() => boxOf(entry('k1')).open(sealed)).toThrow();
  });

  it('does not open a text with a shortened tag', () => {
    const box = boxOf(entry('k1'));
    const bytes = Buffer.from(box.seal('').slice(3), 'base64');
    expect(() => box.open(`k1.${bytes.subarray(0, 12 + 4).toString('base64')}`)).toThrow();
  });
});

describe('encryption keys', () => {
  it.each([
    '',
    'k1',
    'k1:',
    'k1:c2hvcnQ=',
    `k 1:${'A'.repeat(44)}`,
    `${entry('a')},`,
    `${entry('a')},${entry('a')}`,
  ])('refuse %j', (text) => {
    expect(encryptionKeys.safeParse(text).success).toBe(false);
  });
});
