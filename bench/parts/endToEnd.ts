import { accounted, type Bench, create, type Figures, type Part, untilDelivered } from '../bench.ts';
import { distribution, lastAnswerMs, latencies, perSecond, round } from '../statistics.ts';

/** The whole walk: from the first create until the last webhook of a bounded number of executions has come. */
export const endToEnd: Part = {
  about: 'executions/s created, run, settled and delivered (a fixed number, after a warm-up)',
  async run(bench) {
    const { created, durationsMs, ...figures } = await walkMany(bench, { name: 'end_to_end' });
    const createMs = created.map(({ latencyMs }) => latencyMs);
    return {
      end_to_end_per_s: figures.perS,
      end_to_end_seconds: figures.seconds,
      end_to_end_creates_per_s: round(perSecond(created)),
      ...latencies('end_to_end_create', createMs),
      ...latencies('create_to_webhook', durationsMs),
      create_distribution_ms: distribution(createMs),
      create_to_webhook_distribution_ms: distribution(durationsMs),
    } satisfies Figures;
  },
};

/**
 * Runs the wanted number of executions through, for these keys in turn (default: that of the one organization). The rate
 * counts from the first create to the last webhook, the filling and the emptying of the pipe included; durations are from
 * create to webhook. `name`: under which its CPU times are kept.
 */
export async function walkMany(
  bench: Bench,
  { name, keys = [bench.apiKey] }: { name: string; keys?: string[] },
) {
  const { clients, executions } = bench.flags;
  const warmUp = await create(bench, { keys, clients, count: Math.ceil(executions / 4) });
  await untilDelivered(bench, warmUp);
  bench.say('warmed up');
  let arrivalsMs: number[] = [];
  const created = await accounted(bench, name, async () => {
    const sent = await create(bench, { keys, clients, count: executions });
    arrivalsMs = await untilDelivered(bench, sent);
    return sent;
  });
  const durationsMs = created.map(({ sentAtMs }, index) => (arrivalsMs[index] ?? Number.NaN) - sentAtMs);
  const startMs = created.reduce(
    (least, { sentAtMs }) => Math.min(least, sentAtMs),
    Number.POSITIVE_INFINITY,
  );
  const endMs = arrivalsMs.reduce((most, atMs) => Math.max(most, atMs), lastAnswerMs(created));
  const seconds = (endMs - startMs) / 1000;
  return { created, durationsMs, seconds: round(seconds, 2), perS: round(created.length / seconds) };
}
