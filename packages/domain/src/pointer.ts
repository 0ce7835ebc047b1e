/** The names in a JSON pointer (RFC 6901). */
export function pointerSteps(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value at a JSON pointer (`""`: all), of own properties only; undefined: there is none. */
export function atPointer(document: unknown, pointer: string): unknown {
  return pointerSteps(pointer).reduce<unknown>(
    (at, step) =>
      at !== null && typeof at === 'object' && Object.hasOwn(at, step)
        ? (at as Record<string, unknown>)[step]
        : undefined,
    document,
  );
}
