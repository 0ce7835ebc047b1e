export type Point = { x: number; y: number };

export type Line = {
  slope: number;
  standardError: number;
  mean: number;
};

/** Least squares; null for fewer than three points, or without spread in x. */
export function fitLine(points: readonly Point[]): Line | null {
  const count = points.length;
  const meanX = points.reduce((sum, { x }) => sum + x, 0) / count;
  const mean = points.reduce((sum, { y }) => sum + y, 0) / count;
  const spread = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
  if (count < 3 || spread === 0) return null;
  const slope = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - mean), 0) / spread;
  const rest = points.reduce((sum, { x, y }) => sum + (y - mean - slope * (x - meanX)) ** 2, 0);
  return { slope, standardError: Math.sqrt(rest / (count - 2) / spread), mean };
}

export type Verdict = 'steady' | 'GROWS' | 'by design' | 'too few samples';

export type Growth = {
  name: string;
  samples: number;
  first: number | null;
  last: number | null;
  perMillion: number | null;
  verdict: Verdict;
};

/** Fewer show no trend. */
const leastSamples = 6;
const shareOfMean = 0.2;

/**
 * A steady series grows when the fitted rise exceeds `slack`, a fifth of its mean, and twice its standard error.
 * `slack` null: it grows by design.
 */
export function judgeGrowth(name: string, points: readonly Point[], slack: number | null): Growth {
  const line = fitLine(points);
  const growth = {
    name,
    samples: points.length,
    first: points[0]?.y ?? null,
    last: points.at(-1)?.y ?? null,
    perMillion: line === null ? null : line.slope * 1_000_000,
  };
  if (slack === null) return { ...growth, verdict: 'by design' };
  if (line === null || points.length < leastSamples) return { ...growth, verdict: 'too few samples' };
  const rise = line.slope * ((points.at(-1)?.x ?? 0) - (points[0]?.x ?? 0));
  const isRise = rise > slack && rise > shareOfMean * line.mean && line.slope > 2 * line.standardError;
  return { ...growth, verdict: isRise ? 'GROWS' : 'steady' };
}
