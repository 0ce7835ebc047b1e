import type { Part } from '../bench.ts';
import { seed } from '../grown/seed.ts';
import { round } from '../statistics.ts';
import { measureCreates } from './creates.ts';
import { walkMany } from './endToEnd.ts';

/** The first two again, in a database that a year of work has filled. */
export const grown: Part = {
  about:
    'creates/s and end to end again, with millions of finished and many pending executions in the database',
  isLong: true,
  async run(bench) {
    const startMs = performance.now();
    const { finished, pending } = bench.flags;
    await seed(bench.state.database_url, { finished, pending }, bench.say);
    const seedingS = round((performance.now() - startMs) / 1000, 0);
    const { creates_per_s: createsPerS = Number.NaN } = await measureCreates(bench);
    const { perS } = await walkMany(bench, [bench.apiKey]);
    return {
      grown_finished: finished,
      grown_pending: pending,
      grown_seeding_s: seedingS,
      grown_creates_per_s: createsPerS,
      grown_end_to_end_per_s: perS,
    };
  },
};
