import type { Figures } from './bench.ts';
import { round } from './statistics.ts';

/** `must` is required, `aim` is the goal. */
type Target = {
  name: string;
  about: string;
  of(figures: Figures): number;
  must: number;
  aim: number;
  /** A duration: lower is better. */
  isCeiling?: boolean;
};

const ratio = (of: string, over: string) => (figures: Figures) => Number(figures[of]) / Number(figures[over]);
const value = (of: string) => (figures: Figures) => Number(figures[of]);

/** Ratios within one run, because machines differ; durations in milliseconds. */
const targets: readonly Target[] = [
  {
    name: 'creates',
    about: 'creates/s alone over hot_row_tps',
    of: ratio('creates_per_s', 'hot_row_tps'),
    must: 1.2,
    aim: 2,
  },
  {
    name: 'end to end',
    about: 'executions/s end to end over hot_row_tps',
    of: ratio('end_to_end_per_s', 'hot_row_tps'),
    must: 0.35,
    aim: 0.6,
  },
  {
    name: '1,000 organizations',
    about: 'end to end by 1,000 organizations, over that by one',
    of: ratio('organizations_per_s', 'one_organization_per_s'),
    must: 1,
    aim: 1,
  },
  {
    name: 'lone',
    about: 'create to webhook of a lone execution, p50 in ms',
    of: value('lone_create_to_webhook_p50_ms'),
    must: 25,
    aim: 12,
    isCeiling: true,
  },
  {
    name: 'half rate',
    about: 'create at half of the top rate, p99 in ms',
    of: value('half_rate_create_p99_ms'),
    must: 40,
    aim: 20,
    isCeiling: true,
  },
  {
    name: 'webhooks',
    about: 'deliveries/s over posts/s of a bare loop of the same client',
    of: ratio('deliveries_per_s', 'bare_loop_posts_per_s'),
    must: 0.35,
    aim: 0.6,
  },
  {
    name: 'webhooks: isolation',
    about: 'event to delivery at healthy endpoints beside hanging ones, p99 over that without',
    of: ratio('healthy_beside_hanging_p99_ms', 'healthy_alone_p99_ms'),
    must: 2,
    aim: 1.2,
    isCeiling: true,
  },
  {
    name: 'fairness',
    about: "create to start beside another's 100,000 queued executions, the slowest in ms",
    of: value('beside_many_to_start_p99_ms'),
    must: 1000,
    aim: 200,
    isCeiling: true,
  },
  {
    name: 'grown: creates',
    about: 'creates/s of a database that has grown, over those of an empty one',
    of: ratio('grown_creates_per_s', 'empty_creates_per_s'),
    must: 0.85,
    aim: 0.95,
  },
  {
    name: 'grown: end to end',
    about: 'executions/s of a database that has grown, over those of an empty one',
    of: ratio('grown_end_to_end_per_s', 'empty_end_to_end_per_s'),
    must: 0.85,
    aim: 0.95,
  },
];

export type Verdict = {
  name: string;
  about: string;
  measured: number;
  must: number;
  aim: number;
  verdict: 'missed' | 'met' | 'aim met';
};

export function judge(figures: Figures): Verdict[] {
  return targets.flatMap(({ of, isCeiling = false, ...target }) => {
    const measured = of(figures);
    if (!Number.isFinite(measured)) return [];
    const reaches = (bound: number) => (isCeiling ? measured <= bound : measured >= bound);
    const verdict = reaches(target.aim) ? 'aim met' : reaches(target.must) ? 'met' : 'missed';
    return [{ ...target, measured: round(measured, 3), verdict } as const];
  });
}
