import type { Figures } from './bench.ts';
import { round } from './statistics.ts';

/** `must` is required, `aim` is the goal. */
type Target = {
  about: string;
  of(figures: Figures): number;
  must: number;
  aim: number;
  /** A duration: lower is better. */
  isCeiling: boolean;
};

const atLeast = (must: number, aim: number, of: Target['of'], about: string): Target => ({
  about,
  of,
  must,
  aim,
  isCeiling: false,
});
const atMost = (...given: Parameters<typeof atLeast>): Target => ({ ...atLeast(...given), isCeiling: true });

const ratio = (of: string, over: string) => (figures: Figures) => Number(figures[of]) / Number(figures[over]);
const value = (of: string) => (figures: Figures) => Number(figures[of]);

const grownOverEmpty = (of: string, over: string) => (figures: Figures) =>
  Number(figures[`grown_${of}`]) /
  Number(figures[`grown_${over}`]) /
  (Number(figures[`empty_${of}`]) / Number(figures[`empty_${over}`]));

/** Ratios within one run, because machines differ; durations and sizes as they are. */
const targets: readonly Target[] = [
  atMost(400, 280, value('idle_memory_mib'), 'resident memory of the four services, idle, in MiB'),
  atMost(1.5, 0.5, value('idle_cpu_percent'), 'CPU of the four services, idle, in percent of a core'),
  atMost(3, 1, value('drain_50ms_s'), 'last create to last webhook at a receiver of 50 ms, in s'),
  atMost(10, 3, value('drain_250ms_s'), 'last create to last webhook at a receiver of 250 ms, in s'),
  atLeast(
    1000,
    1500,
    value('backlog_lowest_1_s_per_s'),
    "a backlog's deliveries/s in the slowest second, with plans for empty tables",
  ),
  atMost(12, 7, value('lone_create_to_webhook_p50_ms'), 'create to webhook of a lone execution, p50 in ms'),
  atMost(30, 18, value('wait_one_p50_ms'), 'create to result in one response, one client, p50 in ms'),
  atLeast(700, 1000, value('wait_many_per_s'), 'creates/s of clients that wait for their results'),
  atMost(25, 12, value('openai_added_p50_ms'), "added by OpenAI's API to a chat, one client, p50 in ms"),
  atMost(40, 20, value('openai_rate_added_p50_ms'), "added by OpenAI's API to a chat, 200/s, p50 in ms"),
  atMost(100, 60, value('openai_rate_added_p99_ms'), "added by OpenAI's API to a chat, 200/s, p99 in ms"),
  atLeast(
    8,
    15,
    ratio('openai_many_per_s', 'litellm_many_per_s'),
    "chats/s by OpenAI's API over LiteLLM's, 64 clients",
  ),
  atMost(60, 30, value('stream_first_added_p50_ms'), 'added to the first delta of 20 streams, p50 in ms'),
  atMost(150, 80, value('stream_first_added_p99_ms'), 'added to the first delta of 20 streams, p99 in ms'),
  atMost(60, 30, value('stream_delta_added_p50_ms'), 'added to a delta of 20 streams, p50 in ms'),
  atMost(150, 80, value('stream_delta_added_p99_ms'), 'added to a delta of 20 streams, p99 in ms'),
  atLeast(
    200,
    500,
    value('streams_at_once'),
    'streams of 50 tokens/s at once that complete, first delta p50 < 200 ms',
  ),
  atMost(
    150,
    60,
    value('stream_memory_over_idle_mib'),
    'resident memory of the four services for 500 open streams, over idle, in MiB',
  ),
  atMost(25, 12, value('large_output_cpu_ms'), 'CPU of a text of 1 MB as output, in ms'),
  atLeast(60, 120, value('large_output_per_s'), 'executions/s with a text of 1 MB as output'),
  atMost(12, 6, value('large_input_cpu_ms'), 'CPU of an input of 250 KB, in ms'),
  atMost(
    700,
    600,
    value('large_output_memory_mib'),
    'resident memory of the four services with texts of 1 MB, in MiB',
  ),
  atMost(
    25,
    15,
    value('large_image_services_cpu_ms'),
    'CPU of gateway and dispatcher for an image of 0.8 MB, in ms',
  ),
  atMost(25, 10, value('lists_p99_ms'), 'lists with filters that match nothing, 8 clients, p99 in ms'),
  atMost(40, 15, value('usage_by_model_one_p50_ms'), 'a year of usage by model, one client, p50 in ms'),
  atMost(40, 15, value('usage_by_day_one_p50_ms'), 'a year of usage by day, one client, p50 in ms'),
  atMost(5, 3, value('rate_200_cpu_ms'), 'CPU per execution at 200 executions/s, in ms'),
  atMost(
    45,
    20,
    value('rate_200_create_to_webhook_p50_ms'),
    'create to webhook at 200 executions/s, p50 in ms',
  ),
  atMost(
    130,
    60,
    value('rate_200_create_to_webhook_p99_ms'),
    'create to webhook at 200 executions/s, p99 in ms',
  ),
  atMost(6, 3, value('rate_50_event_to_delivery_p50_ms'), 'event to delivery at 50 events/s, p50 in ms'),
  atMost(20, 8, value('rate_50_event_to_delivery_p99_ms'), 'event to delivery at 50 events/s, p99 in ms'),
  atLeast(0.55, 0.7, ratio('end_to_end_per_s', 'hot_row_tps'), 'executions/s end to end over hot_row_tps'),
  atMost(1, 0.7, value('system_cpu_ms_per_execution'), 'CPU per execution without load and receiver, in ms'),
  atMost(6144, 4096, value('end_to_end_wal_bytes'), 'write-ahead log per execution, in bytes'),
  atMost(
    700,
    450,
    value('top_rate_memory_mib'),
    'resident memory of the four services at the top rate, in MiB',
  ),
  atLeast(
    1,
    1,
    ratio('organizations_per_s', 'one_organization_per_s'),
    'end to end by 1,000 organizations, over that by one',
  ),
  atLeast(1.6, 2.2, ratio('creates_per_s', 'hot_row_tps'), 'creates/s alone over hot_row_tps'),
  atMost(30, 15, value('half_rate_create_p99_ms'), 'create at half of the top rate, p99 in ms'),
  atLeast(
    1.4,
    2,
    ratio('deliveries_per_s', 'hot_row_tps'),
    'deliveries/s, attempts recorded, over hot_row_tps',
  ),
  atMost(
    2,
    1.2,
    ratio('healthy_beside_hanging_p99_ms', 'healthy_alone_p99_ms'),
    'event to delivery at healthy endpoints beside hanging ones, p99 over that without',
  ),
  atMost(
    1000,
    200,
    value('beside_many_to_start_p99_ms'),
    "create to start beside another's 100,000 queued executions, the slowest in ms",
  ),
  atMost(20, 8, value('batch_intake_s'), 'intake of 100,000 lines of 300 bytes by one connection, in s'),
  atMost(
    50,
    20,
    value('batch_intake_memory_over_idle_mib'),
    'resident memory of the four services for that intake, over idle, in MiB',
  ),
  atLeast(1, 1.3, value('batch_over_single'), 'executions/s of a batch, over those of single creates'),
  atMost(
    1.3,
    1.1,
    value('beside_batch_p99_over_alone'),
    "create to webhook at 20/s beside the organization's batch, p99 over that without",
  ),
  atLeast(
    0.9,
    0.97,
    grownOverEmpty('creates_per_s', 'hot_row_tps'),
    'creates/s over hot_row_tps in a database that has grown, relative to an empty one',
  ),
  atLeast(
    0.9,
    0.97,
    grownOverEmpty('end_to_end_per_s', 'hot_row_tps'),
    'executions/s over hot_row_tps in a database that has grown, relative to an empty one',
  ),
];

export type Verdict = {
  about: string;
  measured: number;
  must: number;
  aim: number;
  verdict: 'missed' | 'met' | 'aim met';
};

export function judge(figures: Figures): Verdict[] {
  return targets.flatMap(({ of, isCeiling, ...target }) => {
    const measured = of(figures);
    if (!Number.isFinite(measured)) return [];
    const reaches = (bound: number) => (isCeiling ? measured <= bound : measured >= bound);
    const verdict = reaches(target.aim) ? 'aim met' : reaches(target.must) ? 'met' : 'missed';
    return [{ ...target, measured: round(measured, 3), verdict } as const];
  });
}
