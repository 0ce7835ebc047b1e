/** Unix milliseconds with fractions, equal in every thread. */
export const nowMs = (): number => performance.timeOrigin + performance.now();
