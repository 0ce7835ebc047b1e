import type { Created } from './load/threads.ts';

/** Unix milliseconds with fractions, equal in every thread. */
export const nowMs = (): number => performance.timeOrigin + performance.now();

/** The smallest value that `share` (0..1) of the values do not exceed; NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export const sum = (values: Iterable<number>): number =>
  [...values].reduce((total, value) => total + value, 0);

export const round = (value: number, digits = 1): number => Number(value.toFixed(digits));

export function latencies(name: string, valuesMs: readonly number[]): Record<string, number> {
  return {
    [`${name}_p50_ms`]: round(percentile(valuesMs, 0.5)),
    [`${name}_p99_ms`]: round(percentile(valuesMs, 0.99)),
  };
}

/** From the first request to the last response. */
export function perSecond(created: readonly Created[]): number {
  return created.length / ((lastResponseMs(created) - firstSentMs(created)) / 1000);
}

export function firstSentMs(created: readonly Created[]): number {
  return created.reduce((least, { sentAtMs }) => Math.min(least, sentAtMs), Number.POSITIVE_INFINITY);
}

export function lastResponseMs(created: readonly Created[]): number {
  return created.reduce((most, { sentAtMs, latencyMs }) => Math.max(most, sentAtMs + latencyMs), 0);
}

export function withoutFirst(created: readonly Created[], seconds: number): Created[] {
  const firstMs = firstSentMs(created);
  return created.filter(({ sentAtMs }) => sentAtMs >= firstMs + seconds * 1000);
}

/** Pairs of value and share (0..1) of the values up to it. */
export function distribution(values: readonly number[]): [value: number, share: number][] {
  const twentieths = Array.from({ length: 20 }, (_, nth) => nth / 20);
  const shares = [...twentieths, 0.01, 0.025, 0.98, 0.99, 0.995, 0.999, 1].toSorted((a, b) => a - b);
  return shares.map((share) => [round(percentile(values, share), 2), share]);
}

/**
 * The lowest rate per second in consecutive windows of `seconds` from the first of these times; the last window, which
 * is incomplete, does not count. NaN when there is no complete one.
 */
export function lowestPerSecond(timesMs: readonly number[], seconds: number): number {
  const firstMs = timesMs.reduce((least, ms) => Math.min(least, ms), Number.POSITIVE_INFINITY);
  const lastMs = timesMs.reduce((most, ms) => Math.max(most, ms), 0);
  const windowMs = seconds * 1000;
  const counts = Array.from({ length: Math.floor((lastMs - firstMs) / windowMs) }, () => 0);
  for (const ms of timesMs) {
    const window = Math.floor((ms - firstMs) / windowMs);
    if (window < counts.length) counts[window] = (counts[window] ?? 0) + 1;
  }
  return counts.length === 0 ? Number.NaN : Math.min(...counts) / seconds;
}
