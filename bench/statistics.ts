/** The smallest value that `share` (0..1) of the values do not exceed; NaN of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export const round = (value: number, digits = 1): number => Number(value.toFixed(digits));

/** `<name>_p50_ms` and `<name>_p99_ms` of durations in milliseconds. */
export function latencies(name: string, valuesMs: readonly number[]): Record<string, number> {
  return {
    [`${name}_p50_ms`]: round(percentile(valuesMs, 0.5)),
    [`${name}_p99_ms`]: round(percentile(valuesMs, 0.99)),
  };
}
