import { apiClient } from '@holdfast/testkit/apiClient';
import { expect, it } from '@jest/globals';
import { stackOfTests } from '../stack/stackOfTests.ts';

const secrets = { old: 'the old secret of URLs', newer: 'the new secret of URLs' };
const tokens = { old: 'the-old-token-of-ann', newer: 'the-new-token-of-ann' };

/** The one gateway ends between requests: none is sent on a connection that was kept from before. */
const once = { connection: 'close' };

const stack = await stackOfTests({ FILE_URL_SECRET: secrets.old, ADMIN_TOKEN: `ann:${tokens.old}` });
const customer = await stack.newCustomer();

/** A rollout with the secrets in the order of docs/rotation.md. */
async function restartGateway(urlSecrets: string, adminTokens: string): Promise<void> {
  await stack.services.stop('api-gateway');
  await stack.services.start('api-gateway', { FILE_URL_SECRET: urlSecrets, ADMIN_TOKEN: adminTokens });
}

async function uploadUrl(): Promise<string> {
  const terms = { filename: 'a.txt', content_type: 'text/plain', size_bytes: 5 };
  const { body } = await customer.api.post('/v1/files/upload', terms, once);
  return String(body['upload_url']);
}

async function put(url: string): Promise<number> {
  const headers = { ...once, 'content-type': 'text/plain' };
  return (await fetch(url, { method: 'PUT', headers, body: 'bytes' })).status;
}

async function ask(token: string): Promise<number> {
  return (await apiClient(stack.adminUrl, token).fetch('/admin/v1/organizations', { headers: once })).status;
}

it('URL secrets and operator tokens can be rotated without a refused request', async () => {
  const given = [await uploadUrl(), await uploadUrl(), await uploadUrl()] as const;

  await restartGateway(`${secrets.old},${secrets.newer}`, `ann:${tokens.old},ann:${tokens.newer}`);
  expect(await put(given[0])).toBe(200);
  expect([await ask(tokens.old), await ask(tokens.newer)]).toEqual([200, 200]);

  await restartGateway(`${secrets.newer},${secrets.old}`, `ann:${tokens.newer},ann:${tokens.old}`);
  const fresh = await uploadUrl();
  expect(await put(given[1])).toBe(200);

  await restartGateway(secrets.newer, `ann:${tokens.newer}`);
  expect([await put(fresh), await put(given[2])]).toEqual([200, 403]);
  expect([await ask(tokens.newer), await ask(tokens.old)]).toEqual([200, 401]);
}, 60_000);
