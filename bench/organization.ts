import type { LocalState } from '@holdfast/local/launch/stateFile';
import { type Http, openHttp } from './http.ts';

export type Organization = { id: string; apiKey: string };

/** An organization with more money than the load can spend, and an endpoint for the endings of its executions. */
export async function createOrganization(state: LocalState, webhookUrl: string): Promise<Organization> {
  const admin = openHttp(state.admin_url, state.admin_token, 1);
  try {
    const { id } = (await admin.post('/admin/v1/organizations', { name: 'Bench' }, 201)) as { id: string };
    const path = `/admin/v1/organizations/${id}`;
    await admin.post(`${path}/top-ups`, { amount: '1000000' }, 201);
    const { key } = (await admin.post(`${path}/api-keys`, { name: 'bench' }, 201)) as { key: string };
    const api = openHttp(state.base_url, key, 1);
    await subscribe(api, webhookUrl).finally(api.close);
    return { id, apiKey: key };
  } finally {
    admin.close();
  }
}

async function subscribe(api: Http, url: string): Promise<void> {
  const events = ['execution.completed', 'execution.failed', 'execution.cancelled', 'execution.expired'];
  await api.post('/v1/webhooks/endpoints', { url, events }, 201);
}
