const shape = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const isNothing = (id: string) => /^0+$/.test(id);

/**
 * A `traceparent` header as W3C Trace Context has it, ready to be kept and passed on: as it came, or, from a version after
 * `00`, the part of it that `00` knows. Null for what is none; nobody is told, for a broken one must not fail a request.
 */
export function readTraceparent(header: string | string[] | undefined): string | null {
  if (typeof header !== 'string') return null;
  const [, version, traceId = '', spanId = '', flags = '', more] = shape.exec(header) ?? [];
  if (version === undefined || version === 'ff' || isNothing(traceId) || isNothing(spanId)) return null;
  if (version !== '00') return `00-${traceId}-${spanId}-${isSampled(flags) ? '01' : '00'}`;
  return more === undefined ? header : null;
}

/** The parts of a traceparent that `readTraceparent` gave. */
export function partsOf(traceparent: string): { traceId: string; spanId: string; sampled: boolean } {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  return { traceId, spanId, sampled: isSampled(flags) };
}

function isSampled(flags: string): boolean {
  return (Number.parseInt(flags, 16) & 1) === 1;
}
