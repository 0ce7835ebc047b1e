import { timingSafeEqual } from 'node:crypto';

/** Takes as long wherever they differ. Texts are compared as written: a decoder may ignore characters. */
export function isSameSecret(one: string | Buffer, other: string | Buffer): boolean {
  const [a, b] = [bytesOf(one), bytesOf(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const bytesOf = (value: string | Buffer) => (typeof value === 'string' ? Buffer.from(value) : value);
