import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, create, type Part, watched } from '../bench.ts';
import { nowMs } from '../clock.ts';
import { createOrganizations } from '../organization.ts';
import { type Arrival, type CollectingReceiver, startCollectingReceiver } from '../receiver.ts';
import { latencies, round } from '../statistics.ts';

const organizations = 4;
const endpointsEach = 250;
const hangingEach = 25;
const executionsPerS = 2;
/** Longer than the timeout of a hanging request. */
const phaseS = 45;

/** From event to delivery at healthy endpoints, before and while one in ten endpoints never responds. */
export const webhooksIsolation: Part = {
  about: `event to delivery at the healthy ones of ${organizations * endpointsEach} endpoints, before and while 1 in 10 hangs`,
  async run(bench) {
    const receiver = await startCollectingReceiver();
    try {
      bench.say(`making ${organizations * endpointsEach} endpoints`);
      const made = await createOrganizations(bench.state, organizations, (number) =>
        pathsOf(number).map((path) => receiver.url + path),
      );
      const keys = made.map(({ apiKey }) => apiKey);
      await phase(bench, { keys, receiver, name: 'webhooks_warm_up', seconds: 10 });
      const alone = await phase(bench, { keys, receiver, name: 'webhooks_healthy', seconds: phaseS });
      receiver.configure({ hanging: made.flatMap((_, number) => pathsOf(number).slice(0, hangingEach)) });
      const beside = await phase(bench, { keys, receiver, name: 'webhooks_isolation', seconds: phaseS });
      return {
        isolation_deliveries_per_s: round(alone.length / phaseS),
        ...latencies('healthy_alone', alone),
        ...latencies('healthy_beside_hanging', beside),
      };
    } finally {
      await receiver.close();
    }
  },
};

function pathsOf(organization: number): string[] {
  return Array.from({ length: endpointsEach }, (_, nth) => `/${organization}/${nth}`);
}

async function phase(
  bench: Bench,
  args: { keys: string[]; receiver: CollectingReceiver; name: string; seconds: number },
): Promise<number[]> {
  const { keys, receiver, name, seconds } = args;
  bench.say(`${name}: ${seconds} s`);
  const startMs = nowMs();
  const before = receiver.arrivals.length;
  const mine = () => receiver.arrivals.slice(before).filter((arrival) => isHealthy(arrival));
  const load = { keys, clients: 16, seconds, ratePerS: executionsPerS };
  const created = await watched(bench, name, () => create(bench, load));
  const expected = created.length * (endpointsEach - hangingEach);
  for (const deadlineMs = nowMs() + 60_000; mine().length < expected; await sleep(100)) {
    if (nowMs() > deadlineMs) throw new Error(`${expected - mine().length} webhooks have not come`);
  }
  return mine()
    .filter(({ eventAtMs }) => eventAtMs >= startMs)
    .map(({ eventAtMs, atMs }) => atMs - eventAtMs);
}

function isHealthy({ path }: Arrival): boolean {
  return Number(path.split('/')[2]) >= hangingEach;
}
