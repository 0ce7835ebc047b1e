/** `x`: executions so far. */
export type Point = { x: number; y: number };

export type Line = {
  /** Of y per x. */
  slope: number;
  /** Of the slope; how far it is from 0 by chance. */
  standardError: number;
  mean: number;
};

/** The line of least squares; null for fewer than three points, or all at one x. */
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

/** Fewer say nothing about growth. */
const leastSamples = 6;
const shareOfMean = 0.2;

/**
 * What a series does as executions go by. One that should not grow, grows when the fitted rise over the run is above
 * `slack` (what it may differ by at any moment) and a fifth of its mean, and twice what chance makes of it.
 * @param slack null: it grows by design
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
