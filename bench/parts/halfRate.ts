import { accounted, create, type Part, undispatched } from '../bench.ts';
import { distribution, latencies, round, withoutFirst } from '../statistics.ts';
import { measureCreates } from './creates.ts';

/** Latency below capacity: arrivals at fixed times, not delayed by slow responses. */
export const halfRate: Part = {
  about:
    'latency of creates at half the rate that `creates` reached (measured first, if `creates` did not run)',
  async run(bench) {
    const known = bench.figures['creates_per_s'];
    const top = typeof known === 'number' ? known : (await measureCreates(bench, 'creates')).creates_per_s;
    const { clients, seconds } = bench.flags;
    const ratePerS = top / 2;
    const load = () => create(bench, { clients, seconds: seconds + 1, ratePerS });
    const all = await undispatched(bench, () => accounted(bench, 'half_rate', load));
    const latenciesMs = withoutFirst(all, 1).map(({ latencyMs }) => latencyMs);
    return {
      half_rate_per_s: round(ratePerS),
      ...latencies('half_rate_create', latenciesMs),
      half_rate_create_distribution_ms: distribution(latenciesMs),
    };
  },
};
