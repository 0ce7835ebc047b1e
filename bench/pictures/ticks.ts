/** Four or five round numbers from 0 to at least `most`. */
export function roundTicks(most: number): number[] {
  const rough = Math.max(most, 1e-6) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step =
    [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough) ?? 10 * power;
  const count = Math.ceil(most / step);
  return Array.from({ length: count + 1 }, (_, nth) => nth * step);
}

/** Both with as many marks, so that they share their lines. */
export function aligned(ticks: readonly number[], others: readonly number[]): number[] {
  const step = ticks[1] ?? 1;
  return Array.from({ length: Math.max(ticks.length, others.length) }, (_, nth) => nth * step);
}

/** 1, 2 and 5 of each power of ten around these values. */
export function logTicks(least: number, most: number): number[] {
  const first = Math.floor(Math.log10(least));
  const powers = Array.from({ length: Math.ceil(Math.log10(most)) - first + 1 }, (_, nth) => first + nth);
  const all = powers.flatMap((power) => [1, 2, 5].map((factor) => Number(`${factor}e${power}`)));
  const from = all.findLastIndex((tick) => tick <= least);
  return all.slice(Math.max(from, 0), all.findIndex((tick) => tick >= most) + 1);
}
