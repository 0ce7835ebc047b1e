import type { LocalState } from '@holdfast/local/launch/stateFile';
import { type ApiClient, type ApiResponse, apiClient } from '@holdfast/testkit/apiClient';

export type Organization = { id: string; apiKey: string };

export const organizationName = 'Bench';

const concurrency = 16;
const endings = ['execution.completed', 'execution.failed', 'execution.cancelled', 'execution.expired'];

/** With more money than the load can spend, and an endpoint with default settings for endings. */
export async function createOrganization(state: LocalState, webhookUrl: string): Promise<Organization> {
  const [organization] = await createOrganizations(state, 1, () => [webhookUrl]);
  if (!organization) throw new Error('no organization was created');
  return organization;
}

/** In order of their numbers, from 0. */
export async function createOrganizations(
  state: LocalState,
  count: number,
  urlsOf: (number: number) => string[],
): Promise<Organization[]> {
  const admin = apiClient(state.admin_url, state.admin_token);
  const organizations: Organization[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const number = next++;
      organizations[number] = await createOne(state, admin, urlsOf(number));
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, concurrency) }, worker));
  return organizations;
}

async function createOne(state: LocalState, admin: ApiClient, webhookUrls: string[]): Promise<Organization> {
  const { id } = await expectStatus<{ id: string }>(
    201,
    admin.post('/admin/v1/organizations', { name: organizationName }),
  );
  const path = `/admin/v1/organizations/${id}`;
  await expectStatus(201, admin.post(`${path}/top-ups`, { amount: '1000000' }));
  const { key } = await expectStatus<{ key: string }>(201, admin.post(`${path}/api-keys`, { name: 'bench' }));
  for (const url of webhookUrls) await createEndpoint(state, key, { url });
  return { id, apiKey: key };
}

/** Whatever `settings` does not name has its default. Returns the endpoint's id. */
export async function createEndpoint(
  state: LocalState,
  apiKey: string,
  settings: { url: string; events?: string[]; max_per_second?: number },
): Promise<string> {
  const created = apiClient(state.base_url, apiKey).post('/v1/webhooks/endpoints', {
    events: endings,
    ...settings,
  });
  return (await expectStatus<{ id: string }>(201, created)).id;
}

/** The body of the response. @throws when the response has another status */
export async function expectStatus<Body>(status: number, responding: Promise<ApiResponse>): Promise<Body> {
  const { status: actual, body } = await responding;
  if (actual !== status) throw new Error(`${actual} in place of ${status}: ${JSON.stringify(body)}`);
  return body as Body;
}
