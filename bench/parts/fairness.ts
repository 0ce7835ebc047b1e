import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, create, type Part, undispatched, watched } from '../bench.ts';
import type { Created } from '../load/threads.ts';
import { createOrganizations } from '../organizations.ts';
import { latencies, round } from '../statistics.ts';

const queued = 100_000;
const others = 20;

/** From create to start of one organization's executions, one a second, while 100,000 of another are dispatched. */
export const fairness: Part = {
  about: `create to start of an organization's executions while ${queued.toLocaleString('en')} of another are queued`,
  isLong: true,
  async run(bench) {
    const [other] = await createOrganizations(bench.state, 1, () => [`${bench.receiver.url}/`]);
    if (!other) throw new Error('no organization was created');
    let beside: Promise<Created[]> = Promise.resolve([]);
    await watched(bench, 'fairness', () =>
      undispatched(
        bench,
        async () => {
          bench.say(`queueing ${queued} executions`);
          return await create(bench, { clients: bench.flags.clients, count: queued });
        },
        () => {
          beside = createOthers(bench, other.apiKey);
        },
      ),
    );
    const startedMs = await untilStart(bench, await beside);
    return {
      ...latencies('beside_many_to_start', startedMs),
      beside_many_first_ms: round(startedMs[0] ?? Number.NaN),
    };
  },
};

async function createOthers(bench: Bench, apiKey: string): Promise<Created[]> {
  const created: Created[] = [];
  for (let nth = 0; nth < others; nth++) {
    created.push(...(await create(bench, { keys: [apiKey], clients: 1, count: 1 })));
    await sleep(1000);
  }
  return created;
}

async function untilStart({ db }: Bench, created: Created[]): Promise<number[]> {
  const ids = created.map(({ id }) => id);
  const { rows } = await db.pool.query<{ ms: number }>(
    `SELECT (extract(epoch FROM started_at - created_at) * 1000)::float8 AS ms FROM executions
     WHERE id = ANY ($1) ORDER BY created_at`,
    [ids],
  );
  return rows.map(({ ms }) => ms);
}
