/** The value at an RFC 6901 pointer, own properties only; undefined where it leads nowhere. */
export function atPointer(document: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (at, step) =>
        at !== null && typeof at === 'object' && Object.hasOwn(at, step)
          ? (at as Record<string, unknown>)[step]
          : undefined,
      document,
    );
}
