import { create, type Part, untilDelivered } from '../bench.ts';
import { latencies } from '../statistics.ts';

const warmUps = 20;
const runs = 100;

/** One execution at a time, on a system that does nothing else. */
export const lone: Part = {
  about: `create to webhook of a lone execution, ${runs} in turn`,
  async run(bench) {
    const durationsMs: number[] = [];
    for (let run = 0; run < warmUps + runs; run++) {
      const created = await create(bench, { clients: 1, count: 1 });
      const [arrivalMs = Number.NaN] = await untilDelivered(bench, created);
      durationsMs.push(arrivalMs - (created[0]?.sentAtMs ?? Number.NaN));
    }
    return latencies('lone_create_to_webhook', durationsMs.slice(warmUps));
  },
};
