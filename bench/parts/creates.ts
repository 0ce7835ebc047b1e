import { type Part, untilDelivered } from '../bench.ts';
import { createMany } from '../load.ts';
import { latencies, round } from '../statistics.ts';

/** Creates as fast as they are answered, while everything behind them runs too; what they leave is waited for. */
export const creates: Part = {
  about: 'creates/s by many clients of one organization, the walk running behind them',
  async run(bench) {
    const { api, flags } = bench;
    const startMs = performance.now();
    const goesOn = () => performance.now() - startMs < flags.seconds * 1000;
    const created = await createMany(api, flags.clients, goesOn);
    const seconds = (performance.now() - startMs) / 1000;
    await untilDelivered(bench, created);
    return {
      creates_per_s: round(created.length / seconds),
      ...latencies(
        'create',
        created.map(({ latencyMs }) => latencyMs),
      ),
    };
  },
};
