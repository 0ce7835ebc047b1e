import { describe, expect, it } from '@jest/globals';
import { partsOf, readTraceparent } from './tracing.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

describe('a traceparent', () => {
  it.each(['00', '01', 'ff'])('with the flags %s is passed on unchanged', (flags) => {
    const header = `00-${traceId}-${spanId}-${flags}`;
    expect(readTraceparent(header)).toBe(header);
  });

  it.each([
    ['has the same length', ''],
    ['has more parts', '-what-comes-later'],
  ])('of a later version that %s is read as far as this version knows it', (_what, more) => {
    expect(readTraceparent(`cc-${traceId}-${spanId}-09${more}`)).toBe(`00-${traceId}-${spanId}-01`);
    expect(readTraceparent(`01-${traceId}-${spanId}-02${more}`)).toBe(`00-${traceId}-${spanId}-00`);
  });

  it('is split into its parts', () => {
    expect(partsOf(`00-${traceId}-${spanId}-03`)).toEqual({ traceId, spanId, sampled: true });
    expect(partsOf(`00-${traceId}-${spanId}-02`)).toEqual({ traceId, spanId, sampled: false });
  });
});

describe('an invalid traceparent', () => {
  it.each([
    ['nothing', undefined],
    ['an empty text', ''],
    ['two headers', [`00-${traceId}-${spanId}-01`, `00-${traceId}-${spanId}-01`]],
    ['two headers in one', `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`],
    ['the version that is forbidden', `ff-${traceId}-${spanId}-01`],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['a span of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['capitals', `00-${traceId.toUpperCase()}-${spanId}-01`],
    ['more than its version has', `00-${traceId}-${spanId}-01-more`],
    ['a part that is too short', `00-${traceId.slice(1)}-${spanId}-01`],
    ['a later version with something stuck to it', `cc-${traceId}-${spanId}-01.more`],
    ['letters that are not digits', `00-${traceId}-${spanId}-0x`],
  ])('is %s', (_what, header) => {
    expect(readTraceparent(header)).toBeNull();
  });
});
