import { accounted, create, type Figures, type Part, untilDelivered } from '../bench.ts';
import { systemCpu } from '../cpu.ts';
import type { Arrival } from '../receiver.ts';
import { latencies, percentile, round, withoutFirst } from '../statistics.ts';

const ratesPerS = [10, 50, 200, 500];
const minExecutions = 200;
const warmUpS = 1;

/** Latency below capacity: arrivals at fixed times, not delayed by slow responses. */
export const rates: Part = {
  about: `create to webhook, and event to delivery, at ${ratesPerS.join(', ')} executions/s`,
  async run(bench) {
    const { clients, seconds } = bench.flags;
    const figures: Figures = {};
    for (const ratePerS of ratesPerS) {
      const name = `rate_${ratePerS}`;
      const measuredS = Math.max(seconds, Math.ceil(minExecutions / ratePerS));
      let arrivals = new Map<string, Arrival>();
      const all = await accounted(bench, name, async () => {
        const created = await create(bench, { clients, seconds: warmUpS + measuredS, ratePerS });
        arrivals = new Map((await untilDelivered(bench, created)).map((one) => [one.executionId, one]));
        return created;
      });
      const pairs = withoutFirst(all, warmUpS).map(
        (created) => [created, arrivals.get(created.id) as Arrival] as const,
      );
      const toWebhookMs = pairs.map(([{ sentAtMs }, { atMs }]) => atMs - sentAtMs);
      const toDeliveryMs = pairs.map(([, { eventAtMs, atMs }]) => atMs - eventAtMs);
      const createMs = pairs.map(([{ latencyMs }]) => latencyMs);
      Object.assign(figures, {
        ...latencies(`${name}_create`, createMs),
        ...latencies(`${name}_create_to_webhook`, toWebhookMs),
        ...latencies(`${name}_event_to_delivery`, toDeliveryMs),
        [`${name}_cpu_ms`]: round(systemCpu(bench.cpu[name] ?? {}).ms, 2),
      });
      bench.say(`${ratePerS}/s: ${round(percentile(toWebhookMs, 0.5))} ms to the webhook (median)`);
    }
    return figures;
  },
};
