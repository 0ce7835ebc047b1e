import { accounted, type Part } from '../bench.ts';
import { openGenerator, startTrivialServer } from '../load/threads.ts';
import { perSecond, round } from '../statistics.ts';

const seconds = 1;

/** The cost of the load itself, which shares the cores. */
export const ownCost: Part = {
  about:
    'CPU that the load generator uses per create, and the highest rate it can reach, against a trivial server',
  isCold: true,
  async run(bench) {
    const server = await startTrivialServer();
    const load = openGenerator(server.origin);
    try {
      const { clients } = bench.flags;
      await load.run({ keys: [bench.apiKey], clients, seconds });
      const created = await accounted(bench, 'own_cost', () =>
        load.run({ keys: [bench.apiKey], clients, seconds }),
      );
      return {
        load_cpu_ms_per_create: bench.cpu['own_cost']?.['bench: load'] ?? Number.NaN,
        load_alone_per_s: round(perSecond(created), 0),
      };
    } finally {
      await load.close();
      await server.close();
    }
  },
};
