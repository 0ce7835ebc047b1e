import { accounted, create, type Part, untilDelivered } from '../bench.ts';
import type { Created } from '../load/created.ts';
import { distribution, latencies } from '../statistics.ts';

const warmUps = 20;
const runs = 100;

/** One execution at a time, on a system that does nothing else. */
export const lone: Part = {
  about: `create to webhook of a single execution, ${runs} one after another`,
  async run(bench) {
    const durationsMs: number[] = [];
    const runOne = async () => {
      const created = await create(bench, { clients: 1, count: 1 });
      const [arrival] = await untilDelivered(bench, created);
      durationsMs.push((arrival?.atMs ?? Number.NaN) - (created[0]?.sentAtMs ?? Number.NaN));
      return created;
    };
    for (let run = 0; run < warmUps; run++) await runOne();
    await accounted(bench, 'lone', async () => {
      const all: Created[] = [];
      for (let run = 0; run < runs; run++) all.push(...(await runOne()));
      return all;
    });
    const measuredMs = durationsMs.slice(warmUps);
    return {
      ...latencies('lone_create_to_webhook', measuredMs),
      lone_distribution_ms: distribution(measuredMs),
    };
  },
};
