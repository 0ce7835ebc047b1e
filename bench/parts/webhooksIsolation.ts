import { type CountingReceiver, startCountingReceiver } from '../arrivals.ts';
import { type Bench, create, type Part, watched } from '../bench.ts';
import { createOrganizations } from '../organizations.ts';
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
    const receiver = await startCountingReceiver('node', idOf);
    try {
      bench.say(`creating ${organizations * endpointsEach} endpoints`);
      const created = await createOrganizations(bench.state, organizations, (number) =>
        pathsOf(number).map((path) => receiver.url + path),
      );
      const keys = created.map(({ apiKey }) => apiKey);
      await phase(bench, { keys, receiver, name: 'webhooks_warm_up', seconds: 10 });
      const alone = await phase(bench, { keys, receiver, name: 'webhooks_healthy', seconds: phaseS });
      receiver.configure({ hanging: created.flatMap((_, number) => pathsOf(number).slice(0, hangingEach)) });
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

const idOf = ({ path, executionId }: { path: string; executionId: string }) => `${executionId} ${path}`;

async function phase(
  bench: Bench,
  args: { keys: string[]; receiver: CountingReceiver; name: string; seconds: number },
): Promise<number[]> {
  const { keys, receiver, name, seconds } = args;
  bench.say(`${name}: ${seconds} s`);
  const load = { keys, clients: 16, seconds, ratePerS: executionsPerS };
  const created = await watched(bench, name, () => create(bench, load));
  const healthy = created.flatMap(({ id: executionId, keyIndex }) =>
    pathsOf(keyIndex)
      .slice(hangingEach)
      .map((path) => idOf({ path, executionId })),
  );
  return (await receiver.of(healthy)).map(({ eventAtMs, atMs }) => atMs - eventAtMs);
}
