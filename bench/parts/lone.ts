import type { Part } from '../bench.ts';
import { createOne } from '../load.ts';
import { latencies } from '../statistics.ts';

const warmUps = 10;
const runs = 50;

/** One execution at a time, on a system that does nothing else. */
export const lone: Part = {
  about: `create to webhook of a lone execution, ${runs} in turn`,
  async run({ api, receiver }) {
    const durationsMs: number[] = [];
    for (let run = 0; run < warmUps + runs; run++) {
      const { id, sentAtMs } = await createOne(api);
      durationsMs.push((await receiver.arrival(id)) - sentAtMs);
    }
    return latencies('lone_create_to_webhook', durationsMs.slice(warmUps));
  },
};
