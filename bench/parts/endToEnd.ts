import { type Part, untilDelivered } from '../bench.ts';
import { createCount } from '../load.ts';
import { latencies, round } from '../statistics.ts';

/** The whole walk: from the first create until the last webhook of a bounded number of executions has come. */
export const endToEnd: Part = {
  about: 'executions/s created, run, settled and delivered (a fixed number, after a warm-up)',
  async run(bench) {
    const { api, flags, say } = bench;
    await untilDelivered(bench, await createCount(api, flags.clients, Math.ceil(flags.executions / 5)));
    say('warmed up');
    const created = await createCount(api, flags.clients, flags.executions);
    const arrivalsMs = await untilDelivered(bench, created);
    const startMs = Math.min(...created.map(({ sentAtMs }) => sentAtMs));
    const seconds = (Math.max(...arrivalsMs) - startMs) / 1000;
    const lastCreateMs = Math.max(...created.map(({ sentAtMs, latencyMs }) => sentAtMs + latencyMs));
    return {
      end_to_end_per_s: round(created.length / seconds),
      end_to_end_seconds: round(seconds, 2),
      end_to_end_creates_per_s: round(created.length / ((lastCreateMs - startMs) / 1000)),
      ...latencies(
        'end_to_end_create',
        created.map(({ latencyMs }) => latencyMs),
      ),
      ...latencies(
        'create_to_webhook',
        created.map(({ sentAtMs }, index) => (arrivalsMs[index] as number) - sentAtMs),
      ),
    };
  },
};
