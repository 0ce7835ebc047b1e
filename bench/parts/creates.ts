import { accounted, type Bench, create, type Figures, type Part, undispatched } from '../bench.ts';
import { distribution, latencies, percentile, perSecond, round, withoutFirst } from '../statistics.ts';

/** Creates at full rate while nothing is dispatched; the executions run afterwards. */
export const creates: Part = {
  about: 'creates/s by many clients of one organization, while no execution is dispatched',
  run: (bench) => measureCreates(bench, 'creates'),
};

export async function measureCreates(bench: Bench, name: string) {
  const { clients, seconds } = bench.flags;
  const warmUpS = 1;
  const load = () => create(bench, { clients, seconds: warmUpS + seconds });
  const all = await undispatched(bench, () => accounted(bench, name, load));
  const created = withoutFirst(all, warmUpS);
  return {
    ...latencies(
      'create',
      created.map(({ latencyMs }) => latencyMs),
    ),
    creates_per_s: round(perSecond(created)),
  };
}

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

const clientCounts = [1, 2, 4, 8, 16, 32, 64, 128, 256];
const secondsEach = 2;

/** Rate and latency of creates by number of clients, while nothing is dispatched. */
export const curve: Part = {
  about: `creates/s and their latency by ${clientCounts[0]} to ${clientCounts.at(-1)} clients`,
  async run(bench) {
    const rate: [number, number][] = [];
    const p50: [number, number][] = [];
    const p99: [number, number][] = [];
    await undispatched(bench, () => create(bench, { clients: 64, seconds: 1 }));
    for (const clients of clientCounts) {
      const created = await undispatched(bench, () => create(bench, { clients, seconds: secondsEach }));
      const latenciesMs = created.map(({ latencyMs }) => latencyMs);
      rate.push([clients, round(perSecond(created))]);
      p50.push([clients, round(percentile(latenciesMs, 0.5), 2)]);
      p99.push([clients, round(percentile(latenciesMs, 0.99), 2)]);
      bench.say(`${clients} clients: ${rate.at(-1)?.[1]} creates/s`);
    }
    return { curve_creates_per_s: rate, curve_p50_ms: p50, curve_p99_ms: p99 } satisfies Figures;
  },
};
