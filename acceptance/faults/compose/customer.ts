import { type ApiClient, apiClient } from '@holdfast/testkit/apiClient';
import { withRetries } from './retries.ts';

/** An organization created with the admin API, with an endpoint for all events. */
export type Customer = { organizationId: string; api: ApiClient; secret: string };

export const startBalance = '100';

async function made(
  api: ApiClient,
  path: string,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
) {
  const response = await withRetries(() => api.post(path, body, headers));
  if (response.status === 201) return response.body as Record<string, string>;
  throw new Error(`POST ${path} returned ${response.status} ${JSON.stringify(response.body)}`);
}

export async function createCustomer(args: {
  baseUrl: string;
  adminUrl: string;
  adminToken: string;
  receiverUrl: string;
}): Promise<Customer> {
  const admin = apiClient(args.adminUrl, args.adminToken);
  const { id: organizationId = '' } = await made(admin, '/admin/v1/organizations', { name: 'Customer' });
  const path = `/admin/v1/organizations/${organizationId}`;
  await made(admin, `${path}/top-ups`, { amount: startBalance }, { 'Idempotency-Key': 'first' });
  const { key = '' } = await made(admin, `${path}/api-keys`, { name: 'test' });
  const api = apiClient(args.baseUrl, key);
  const { secret = '' } = await made(api, '/v1/webhooks/endpoints', { url: args.receiverUrl });
  return { organizationId, api, secret };
}
