import type { LocalState } from '@holdfast/local/launch/stateFile';
import { type Http, openHttp } from './http.ts';

type Organization = { id: string; apiKey: string };

/** Of those that are measured. */
export const organizationName = 'Bench';

const atOnce = 16;
/** One endpoint takes all that the system can give, where others would have several. */
const maxInFlight = 128;

/** An organization with more money than the load can spend, and an endpoint for the endings of its executions. */
export async function createOrganization(state: LocalState, webhookUrl: string): Promise<Organization> {
  const [organization] = await createOrganizations(state, webhookUrl, 1);
  if (!organization) throw new Error('no organization was made');
  return organization;
}

export async function createOrganizations(
  state: LocalState,
  webhookUrl: string,
  count: number,
): Promise<Organization[]> {
  const admin = openHttp(state.admin_url, state.admin_token, atOnce);
  const made: Organization[] = [];
  let left = count;
  const maker = async () => {
    while (left-- > 0) made.push(await createOne(state, admin, webhookUrl));
  };
  try {
    await Promise.all(Array.from({ length: Math.min(count, atOnce) }, maker));
    return made;
  } finally {
    admin.close();
  }
}

async function createOne(state: LocalState, admin: Http, webhookUrl: string): Promise<Organization> {
  const { id } = (await admin.post('/admin/v1/organizations', { name: organizationName }, 201)) as {
    id: string;
  };
  const path = `/admin/v1/organizations/${id}`;
  await admin.post(`${path}/top-ups`, { amount: '1000000' }, 201);
  const { key } = (await admin.post(`${path}/api-keys`, { name: 'bench' }, 201)) as { key: string };
  const api = openHttp(state.base_url, key, 1);
  await subscribe(api, webhookUrl).finally(api.close);
  return { id, apiKey: key };
}

async function subscribe(api: Http, url: string): Promise<void> {
  const events = ['execution.completed', 'execution.failed', 'execution.cancelled', 'execution.expired'];
  await api.post('/v1/webhooks/endpoints', { url, events, max_in_flight: maxInFlight }, 201);
}
