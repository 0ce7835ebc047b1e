import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { apiClient } from '@holdfast/testkit/apiClient';
import { type Bench, type Figures, type Part, watched } from '../bench.ts';
import { seed } from '../grown/seed.ts';
import { expectStatus } from '../organizations.ts';
import { latencies, nowMs } from '../statistics.ts';

const executions = 500_000;
const clients = 8;
const requestsEach = 200;

/** Filters that match few executions or none, so that each page looks as far back as it may. */
const searches = ['status=FAILED', 'status=PENDING', 'status=CANCELLED', 'model=none'];

/** What users of an organization read that has a year behind it, with seven models that ran in every hour. */
export const lists: Part = {
  about: `lists with filters that match nothing, and a year of usage, of ${executions.toLocaleString('en')} executions`,
  async run(bench) {
    const { apiKey, hours } = await fill(bench);
    const usage = `/v1/usage?from=${daysAgo(365)}&to=${daysAgo(0)}&group_by=`;
    const paths = {
      lists: searches.map((search) => `/v1/executions?limit=20&${search}`),
      usage_by_model: [`${usage}model`],
      usage_by_day: [`${usage}day`],
      usage_by_day_elsewhere: [`${usage}day&tz=Europe/Berlin`],
    };
    const figures: Figures = { usage_hours: hours };
    for (const [name, some] of Object.entries(paths)) {
      for (const at of [1, clients]) {
        const latenciesMs = await watched(bench, `${name}_${at}`, () => readAll(bench, apiKey, some, at));
        Object.assign(figures, latencies(at === 1 ? `${name}_one` : name, latenciesMs));
      }
    }
    return figures;
  },
};

async function fill({ state, db, say }: Bench): Promise<{ apiKey: string; hours: number }> {
  await seed(state.database_url, { finished: executions, pending: 0, organizations: 1 }, say);
  const { rows } = await db.pool.query<{ id: string; hours: string }>(
    `SELECT organization_id AS id, count(*) AS hours FROM usage_hours GROUP BY 1 ORDER BY 2 DESC LIMIT 1`,
  );
  const [{ id, hours } = { id: '', hours: '0' }] = rows;
  const admin = apiClient(state.admin_url, state.admin_token);
  const path = `/admin/v1/organizations/${id}/api-keys`;
  const { key } = await expectStatus<{ key: string }>(201, admin.post(path, { name: 'bench' }));
  return { apiKey: key, hours: Number(hours) };
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/** How long each of `requestsEach` requests took, after a tenth of them as a warm-up; these paths take turns. */
async function readAll({ state }: Bench, apiKey: string, paths: string[], atOnce: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const latenciesMs: number[] = [];
  let next = 0;
  const read = async (path: string) => {
    const startMs = nowMs();
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${apiKey}` };
      request(`${state.base_url}${path}`, { agent, headers }, (response) => {
        text(response).then(() => resolve(response.statusCode), reject);
      })
        .on('error', reject)
        .end();
    });
    if (status !== 200) throw new Error(`${path} returned ${status}`);
    latenciesMs.push(nowMs() - startMs);
  };
  const client = async () => {
    while (next < requestsEach) await read(paths[next++ % paths.length] ?? '');
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  agent.destroy();
  return latenciesMs.slice(requestsEach / 10);
}
