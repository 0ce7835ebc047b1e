import { accounted, type Bench, create, type Figures, type Part, untilDelivered } from '../bench.ts';
import { systemCpu } from '../cpu.ts';
import type { Created } from '../load/threads.ts';
import { createOrganizations } from '../organizations.ts';
import { distribution, firstSentMs, lastResponseMs, latencies, perSecond, round } from '../statistics.ts';

export const endToEnd: Part = {
  about: 'executions/s created, run, settled and delivered (a fixed number, after a warm-up)',
  async run(bench) {
    const { created, durationsMs, ...figures } = await runWarm(bench, 'end_to_end');
    const createMs = created.map(({ latencyMs }) => latencyMs);
    const { ms, postgresShare } = systemCpu(bench.cpu['end_to_end'] ?? {});
    const memoryMib = bench.memory['end_to_end']?.['total'];
    return {
      end_to_end_per_s: figures.perS,
      end_to_end_seconds: round(figures.seconds, 2),
      end_to_end_creates_per_s: round(perSecond(created)),
      system_cpu_ms_per_execution: round(ms, 3),
      postgres_share_of_cpu: round(postgresShare, 2),
      ...(memoryMib === undefined ? {} : { top_rate_memory_mib: memoryMib }),
      ...latencies('end_to_end_create', createMs),
      ...latencies('create_to_webhook', durationsMs),
      create_distribution_ms: distribution(createMs),
      create_to_webhook_distribution_ms: distribution(durationsMs),
    } satisfies Figures;
  },
};

/** `runExecutions`, after a quarter of them as a warm-up. */
export async function runWarm(bench: Bench, name: string) {
  await runExecutions(bench, { name, executions: Math.ceil(bench.flags.executions / 4) });
  bench.say('warmed up');
  return await runExecutions(bench, { name, executions: bench.flags.executions });
}

/**
 * Runs executions with these keys in turn. The rate counts from the first create to the last webhook; durations from
 * create to webhook.
 */
export async function runExecutions(
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
  const endMs = arrivalsMs.reduce((most, atMs) => Math.max(most, atMs), lastResponseMs(created));
  const seconds = (endMs - firstSentMs(created)) / 1000;
  return { created, durationsMs, seconds, perS: round(created.length / seconds) };
}

const manyOrganizations = 1000;
/** Alternating: the machine's speed changes from minute to minute. */
const rounds = ['one', 'many', 'many', 'one', 'one', 'many', 'many', 'one'] as const;
const names = { one: 'one_organization', many: 'organizations' };

/** As `end_to_end`, over many organizations instead of one balance row. */
export const organizations: Part = {
  about: `executions/s end to end, of ${manyOrganizations} organizations that take turns, and of one other`,
  async run(bench) {
    bench.say(`creating ${manyOrganizations} organizations`);
    const created = await createOrganizations(bench.state, manyOrganizations, () => [
      `${bench.receiver.url}/`,
    ]);
    const keys = { one: [bench.apiKey], many: created.map(({ apiKey }) => apiKey) };
    const executions = Math.ceil(bench.flags.executions / 4);
    const runRound = (of: 'one' | 'many') =>
      runExecutions(bench, { name: names[of], keys: keys[of], executions });
    await runRound('many');
    const seconds = { one: 0, many: 0 };
    for (const of of rounds) seconds[of] += (await runRound(of)).seconds;
    return {
      organizations_per_s: round((4 * executions) / seconds.many),
      one_organization_per_s: round((4 * executions) / seconds.one),
    };
  },
};

const warmUps = 20;
const loneExecutions = 100;

/** One execution at a time, on a system that does nothing else. */
export const lone: Part = {
  about: `create to webhook of a single execution, ${loneExecutions} one after another`,
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
      for (let run = 0; run < loneExecutions; run++) all.push(...(await runOne()));
      return all;
    });
    const measuredMs = durationsMs.slice(warmUps);
    return {
      ...latencies('lone_create_to_webhook', measuredMs),
      lone_distribution_ms: distribution(measuredMs),
    };
  },
};
