import type { LocalState } from '@holdfast/local/launch/stateFile';
import { type Http, openHttp } from './http.ts';

type Organization = { id: string; apiKey: string };

export const organizationName = 'Bench';

const atOnce = 16;
/** Above what the system can deliver. */
const alone = 128;

/** With more money than the load can spend, and an endpoint for endings. */
export async function createOrganization(state: LocalState, webhookUrl: string): Promise<Organization> {
  const [organization] = await createOrganizations(state, 1, () => [webhookUrl]);
  if (!organization) throw new Error('no organization was made');
  return organization;
}

export async function createOrganizations(
  state: LocalState,
  count: number,
  urlsOf: (number: number) => string[],
): Promise<Organization[]> {
  const admin = openHttp(state.admin_url, state.admin_token, atOnce);
  const made: Organization[] = [];
  let next = 0;
  const maker = async () => {
    while (next < count) {
      const number = next++;
      made[number] = await createOne(state, admin, urlsOf(number));
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(count, atOnce) }, maker));
    return made;
  } finally {
    admin.close();
  }
}

async function createOne(state: LocalState, admin: Http, webhookUrls: string[]): Promise<Organization> {
  const { id } = (await admin.post('/admin/v1/organizations', { name: organizationName }, 201)) as {
    id: string;
  };
  const path = `/admin/v1/organizations/${id}`;
  await admin.post(`${path}/top-ups`, { amount: '1000000' }, 201);
  const { key } = (await admin.post(`${path}/api-keys`, { name: 'bench' }, 201)) as { key: string };
  const api = openHttp(state.base_url, key, 1);
  try {
    const maxInFlight = webhookUrls.length === 1 ? alone : undefined;
    for (const url of webhookUrls) {
      await api.post('/v1/webhooks/endpoints', { url, events, max_in_flight: maxInFlight }, 201);
    }
  } finally {
    api.close();
  }
  return { id, apiKey: key };
}

const events = ['execution.completed', 'execution.failed', 'execution.cancelled', 'execution.expired'];
