/** Milliseconds since 1970 with fractions, the same in every thread of this machine. */
export const nowMs = (): number => performance.timeOrigin + performance.now();
