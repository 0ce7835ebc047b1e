import { create, type Figures, type Part, undispatched } from '../bench.ts';
import { percentile, perSecond, round } from '../statistics.ts';

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
