import { accounted, type Bench, create, type Figures, type Part, untilDelivered } from '../bench.ts';
import { distribution, lastAnswerMs, latencies, perSecond, round } from '../statistics.ts';

export const endToEnd: Part = {
  about: 'executions/s created, run, settled and delivered (a fixed number, after a warm-up)',
  async run(bench) {
    const { created, durationsMs, ...figures } = await walkMany(bench, 'end_to_end');
    const createMs = created.map(({ latencyMs }) => latencyMs);
    return {
      end_to_end_per_s: figures.perS,
      end_to_end_seconds: round(figures.seconds, 2),
      end_to_end_creates_per_s: round(perSecond(created)),
      ...latencies('end_to_end_create', createMs),
      ...latencies('create_to_webhook', durationsMs),
      create_distribution_ms: distribution(createMs),
      create_to_webhook_distribution_ms: distribution(durationsMs),
    } satisfies Figures;
  },
};

export async function walkMany(bench: Bench, name: string) {
  await walk(bench, { name, executions: Math.ceil(bench.flags.executions / 4) });
  bench.say('warmed up');
  return await walk(bench, { name, executions: bench.flags.executions });
}

/**
 * Runs executions with these keys in turn. The rate counts from the first create to the last webhook; durations from
 * create to webhook.
 */
export async function walk(
  bench: Bench,
  { name, keys = [bench.apiKey], executions }: { name: string; keys?: string[]; executions: number },
) {
  const { clients } = bench.flags;
  let arrivalsMs: number[] = [];
  const created = await accounted(bench, name, async () => {
    const sent = await create(bench, { keys, clients, count: executions });
    arrivalsMs = (await untilDelivered(bench, sent)).map(({ atMs }) => atMs);
    return sent;
  });
  const durationsMs = created.map(({ sentAtMs }, index) => (arrivalsMs[index] ?? Number.NaN) - sentAtMs);
  const startMs = created.reduce(
    (least, { sentAtMs }) => Math.min(least, sentAtMs),
    Number.POSITIVE_INFINITY,
  );
  const endMs = arrivalsMs.reduce((most, atMs) => Math.max(most, atMs), lastAnswerMs(created));
  const seconds = (endMs - startMs) / 1000;
  return { created, durationsMs, seconds, perS: round(created.length / seconds) };
}
