import type { SealedBox } from '@holdfast/kit/sealedBox';

/** Opens sealed texts. @throws as SealedBox.open does */
export type OpenSecret = (sealed: string) => string;

/** Remembers what it opened, up to `maxEntries`; the oldest goes first. */
export function createOpenSecret(box: SealedBox, maxEntries = 5000): OpenSecret {
  const opened = new Map<string, string>();
  return (sealed) => {
    const known = opened.get(sealed);
    if (known !== undefined) return known;
    const plain = box.open(sealed);
    const oldest = opened.size >= maxEntries ? opened.keys().next().value : undefined;
    if (oldest !== undefined) opened.delete(oldest);
    opened.set(sealed, plain);
    return plain;
  };
}
