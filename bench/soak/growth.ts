import type { Sample } from './sample.ts';

type Point = { x: number; y: number };

type LinearFit = {
  slope: number;
  standardError: number;
  mean: number;
};

/** Least squares; null for fewer than three points, or without spread in x. */
export function fitLine(points: readonly Point[]): LinearFit | null {
  const count = points.length;
  const meanX = points.reduce((sum, { x }) => sum + x, 0) / count;
  const mean = points.reduce((sum, { y }) => sum + y, 0) / count;
  const spread = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
  if (count < 3 || spread === 0) return null;
  const slope = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - mean), 0) / spread;
  const rest = points.reduce((sum, { x, y }) => sum + (y - mean - slope * (x - meanX)) ** 2, 0);
  return { slope, standardError: Math.sqrt(rest / (count - 2) / spread), mean };
}

type Verdict = 'steady' | 'GROWS' | 'by design' | 'too few samples';

export type Growth = {
  name: string;
  samples: number;
  first: number | null;
  last: number | null;
  perMillion: number | null;
  verdict: Verdict;
};

/** Fewer show no trend. */
const minSamples = 6;
const shareOfMean = 0.2;

/**
 * A steady series grows when the fitted rise exceeds `slack`, a fifth of its mean, and twice its standard error.
 * `slack` null: it grows by design.
 */
export function judgeGrowth(name: string, points: readonly Point[], slack: number | null): Growth {
  const fit = fitLine(points);
  const growth = {
    name,
    samples: points.length,
    first: points[0]?.y ?? null,
    last: points.at(-1)?.y ?? null,
    perMillion: fit === null ? null : fit.slope * 1_000_000,
  };
  if (slack === null) return { ...growth, verdict: 'by design' };
  if (fit === null || points.length < minSamples) return { ...growth, verdict: 'too few samples' };
  const rise = fit.slope * ((points.at(-1)?.x ?? 0) - (points[0]?.x ?? 0));
  const isRise = rise > slack && rise > shareOfMean * fit.mean && fit.slope > 2 * fit.standardError;
  return { ...growth, verdict: isRise ? 'GROWS' : 'steady' };
}

const mib = 2 ** 20;

const isHandles = (name: string) => name.endsWith(' handles');
/** Connections to PostgreSQL and Redis stay open after the load. */
const handlesSlack = 64;

// Series that must not grow, with their normal variation: little for fresh processes, more after outages. All others
// grow by design. These indexes hold pending rows and shrink at vacuum.
const steady: [RegExp, slack: number][] = [
  [/ (rss|heap) bytes$/, 48 * mib],
  [/ lag ms$/, 250],
  [/^redis keys$/, 500],
  [/^redis memory bytes$/, 32 * mib],
  [/^pending /, 2000],
  [/^postgres connections$/, 20],
  [/^postgres log bytes$/, 1024 * mib],
  [
    /^(table|index) (api_key|balances|organizations|webhook_endpoints|models|ledger_audit|spend_limits)/,
    16 * mib,
  ],
  [
    /^index \w+_(pending|open|open_expiry|leased|waiting|due|to_(poll|settle|process|fan_out)) bytes$/,
    64 * mib,
  ],
];

export function slackOf(name: string): number | null {
  return steady.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}

/** The growth of every series but handles, after the warm-up. */
export function growths(samples: readonly Sample[], warmUpS: number): Growth[] {
  const warm = samples.filter(({ atS }) => atS >= warmUpS);
  const names = new Set(warm.flatMap(({ values }) => Object.keys(values)));
  return [...names]
    .filter((name) => !isHandles(name))
    .map((name) => {
      const points = warm.flatMap(({ executions, values }) =>
        values[name] === undefined ? [] : [{ x: executions, y: values[name] }],
      );
      return judgeGrowth(name, points, slackOf(name));
    });
}

/** Open handles at rest, before the load and after idle connections have closed. */
export function handlesKept(before: Sample['values'], after: Sample['values'], executions: number): Growth[] {
  return Object.entries(after)
    .filter(([name]) => isHandles(name))
    .map(([name, last]) => {
      const first = before[name] ?? 0;
      const verdict = last - first > handlesSlack ? 'GROWS' : 'steady';
      const perMillion = ((last - first) / executions) * 1_000_000;
      return { name: `${name} at rest`, samples: 2, first, last, perMillion, verdict };
    });
}
