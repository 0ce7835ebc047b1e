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

const grownOverEmpty = (of: string, over: string) => (figures: Figures) =>
  Number(figures[`grown_${of}`]) /
  Number(figures[`grown_${over}`]) /
  (Number(figures[`empty_${of}`]) / Number(figures[`empty_${over}`]));

/** Ratios within one run, because machines differ; durations and sizes as they are. */
const targets: readonly Target[] = [
  {
    name: 'idle memory',
    about: 'resident memory of the four services, idle, in MiB',
    of: value('idle_memory_mib'),
    must: 400,
    aim: 280,
    isCeiling: true,
  },
  {
    name: 'idle CPU',
    about: 'CPU of the four services, idle, in percent of a core',
    of: value('idle_cpu_percent'),
    must: 1.5,
    aim: 0.5,
    isCeiling: true,
  },
  {
    name: 'drain: 50 ms',
    about: 'last create to last webhook at a receiver of 50 ms, in s',
    of: value('drain_50ms_s'),
    must: 3,
    aim: 1,
    isCeiling: true,
  },
  {
    name: 'drain: 250 ms',
    about: 'last create to last webhook at a receiver of 250 ms, in s',
    of: value('drain_250ms_s'),
    must: 10,
    aim: 3,
    isCeiling: true,
  },
  {
    name: 'backlog',
    about: "a backlog's deliveries/s in the slowest second, with plans for empty tables",
    of: value('backlog_lowest_1_s_per_s'),
    must: 1000,
    aim: 1500,
  },
  {
    name: 'lone',
    about: 'create to webhook of a lone execution, p50 in ms',
    of: value('lone_create_to_webhook_p50_ms'),
    must: 12,
    aim: 7,
    isCeiling: true,
  },
  {
    name: 'wait',
    about: 'create to result in one response, one client, p50 in ms',
    of: value('wait_one_p50_ms'),
    must: 30,
    aim: 18,
    isCeiling: true,
  },
  {
    name: 'wait: 64 clients',
    about: 'creates/s of clients that wait for their results',
    of: value('wait_many_per_s'),
    must: 700,
    aim: 1000,
  },
  {
    name: 'large: output',
    about: 'CPU of a text of 1 MB as output, in ms',
    of: value('large_output_cpu_ms'),
    must: 25,
    aim: 12,
    isCeiling: true,
  },
  {
    name: 'large: outputs',
    about: 'executions/s with a text of 1 MB as output',
    of: value('large_output_per_s'),
    must: 60,
    aim: 120,
  },
  {
    name: 'large: input',
    about: 'CPU of an input of 250 KB, in ms',
    of: value('large_input_cpu_ms'),
    must: 12,
    aim: 6,
    isCeiling: true,
  },
  {
    name: 'large: memory',
    about: 'resident memory of the four services with texts of 1 MB, in MiB',
    of: value('large_output_memory_mib'),
    must: 700,
    aim: 600,
    isCeiling: true,
  },
  {
    name: 'large: image',
    about: 'CPU of gateway and dispatcher for an image of 0.8 MB, in ms',
    of: value('large_image_services_cpu_ms'),
    must: 25,
    aim: 15,
    isCeiling: true,
  },
  {
    name: 'lists',
    about: 'lists with filters that match nothing, 8 clients, p99 in ms',
    of: value('lists_p99_ms'),
    must: 25,
    aim: 10,
    isCeiling: true,
  },
  {
    name: 'usage by model',
    about: 'a year of usage by model, one client, p50 in ms',
    of: value('usage_by_model_one_p50_ms'),
    must: 40,
    aim: 15,
    isCeiling: true,
  },
  {
    name: 'usage by day',
    about: 'a year of usage by day, one client, p50 in ms',
    of: value('usage_by_day_one_p50_ms'),
    must: 40,
    aim: 15,
    isCeiling: true,
  },
  {
    name: '200/s: CPU',
    about: 'CPU per execution at 200 executions/s, in ms',
    of: value('rate_200_cpu_ms'),
    must: 5,
    aim: 3,
    isCeiling: true,
  },
  {
    name: '200/s: p50',
    about: 'create to webhook at 200 executions/s, p50 in ms',
    of: value('rate_200_create_to_webhook_p50_ms'),
    must: 45,
    aim: 20,
    isCeiling: true,
  },
  {
    name: '200/s: p99',
    about: 'create to webhook at 200 executions/s, p99 in ms',
    of: value('rate_200_create_to_webhook_p99_ms'),
    must: 130,
    aim: 60,
    isCeiling: true,
  },
  {
    name: 'event to delivery: p50',
    about: 'event to delivery at 50 events/s, p50 in ms',
    of: value('rate_50_event_to_delivery_p50_ms'),
    must: 6,
    aim: 3,
    isCeiling: true,
  },
  {
    name: 'event to delivery: p99',
    about: 'event to delivery at 50 events/s, p99 in ms',
    of: value('rate_50_event_to_delivery_p99_ms'),
    must: 20,
    aim: 8,
    isCeiling: true,
  },
  {
    name: 'end to end',
    about: 'executions/s end to end over hot_row_tps',
    of: ratio('end_to_end_per_s', 'hot_row_tps'),
    must: 0.55,
    aim: 0.7,
  },
  {
    name: 'CPU',
    about: 'CPU per execution without load and receiver, in ms',
    of: value('system_cpu_ms_per_execution'),
    must: 1,
    aim: 0.7,
    isCeiling: true,
  },
  {
    name: 'memory',
    about: 'resident memory of the four services at the top rate, in MiB',
    of: value('top_rate_memory_mib'),
    must: 700,
    aim: 450,
    isCeiling: true,
  },
  {
    name: '1,000 organizations',
    about: 'end to end by 1,000 organizations, over that by one',
    of: ratio('organizations_per_s', 'one_organization_per_s'),
    must: 1,
    aim: 1,
  },
  {
    name: 'creates',
    about: 'creates/s alone over hot_row_tps',
    of: ratio('creates_per_s', 'hot_row_tps'),
    must: 1.6,
    aim: 2.2,
  },
  {
    name: 'half rate',
    about: 'create at half of the top rate, p99 in ms',
    of: value('half_rate_create_p99_ms'),
    must: 30,
    aim: 15,
    isCeiling: true,
  },
  {
    name: 'webhooks',
    about: 'deliveries/s, attempts recorded, over hot_row_tps',
    of: ratio('deliveries_per_s', 'hot_row_tps'),
    must: 1.4,
    aim: 2,
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
    about: 'creates/s over hot_row_tps in a database that has grown, relative to an empty one',
    of: grownOverEmpty('creates_per_s', 'hot_row_tps'),
    must: 0.9,
    aim: 0.97,
  },
  {
    name: 'grown: end to end',
    about: 'executions/s over hot_row_tps in a database that has grown, relative to an empty one',
    of: grownOverEmpty('end_to_end_per_s', 'hot_row_tps'),
    must: 0.9,
    aim: 0.97,
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
