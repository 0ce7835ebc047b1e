import { createHmac, randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { countSecrets } from '@holdfast/db/secrets';
import { runCommand } from '@holdfast/testkit/command';
import { until } from '@holdfast/testkit/until';
import type { Received } from '@holdfast/testkit/webhookReceiver';
import { describe, expect, it } from '@jest/globals';
import { create } from '../stack/executions.ts';
import { stackOfTests } from '../stack/stackOfTests.ts';

const root = resolve(import.meta.dirname, '../..');
const [k1, k2] = ['k1', 'k2'].map((id) => `${id}:${randomBytes(32).toString('base64')}`);

const stack = await stackOfTests({ ENCRYPTION_KEYS: `${k1}` });
const customer = await stack.newCustomer();

async function post(path: string, body?: object): Promise<string> {
  const response = await customer.api.post(path, body);
  expect([200, 201]).toContain(response.status);
  return response.body['secret'] as string;
}

/** The secrets by the path at the receiver, as the API returned them. */
const secrets = new Map<string, string>();

async function addEndpoint(path: string): Promise<void> {
  const endpoint = { url: `${stack.receiver.url}/${path}`, events: ['execution.completed'] };
  secrets.set(path, await post('/v1/webhooks/endpoints', { ...endpoint, headers: { 'X-Path': path } }));
}

function expectSigned(requests: Received[], path: string, secret: string): void {
  const request = requests.find((one) => one.path.endsWith(`/${path}`));
  const text = `${String(request?.headers['x-signature-timestamp'])}.${request?.body}`;
  const signature = createHmac('sha256', secret).update(text).digest('hex');
  expect(request?.headers).toMatchObject({
    'x-signature': signature,
    ...(path !== 'url' && { 'x-path': path }),
  });
}

/** Checks that every endpoint and the `webhook_url` receive an execution, signed with the customer's secrets. */
async function expectDeliveries(): Promise<void> {
  const fields = { webhook_url: `${stack.receiver.url}/url` };
  const id = await create(customer.api, 'sandbox-text', { prompt: 'hello' }, fields);
  const requests = await until('every delivery', () => {
    const received = stack.receiver.received.filter(({ body }) => body.includes(id));
    return received.length === secrets.size && received;
  });
  for (const [path, secret] of secrets) expectSigned(requests, path, secret);
}

async function restart(name: 'api-gateway' | 'webhook-sender', keys: string): Promise<void> {
  await stack.services.stop(name);
  await stack.services.start(name, { ENCRYPTION_KEYS: keys });
  // Connections that were kept to the gateway before are found closed.
  await until('the API responds', () =>
    customer.api.get('/v1/balance').then(
      () => true,
      () => false,
    ),
  );
  await expectDeliveries();
}

const reencrypt = (keys: string) =>
  runCommand(process.execPath, ['packages/cli/src/main.mjs', 'secrets', 'reencrypt'], {
    cwd: root,
    env: { DATABASE_URL: stack.databaseUrl, ENCRYPTION_KEYS: keys },
  });

const keyIds = async () => [...(await countSecrets(stack.db)).keys()];

describe('the key that seals secrets', () => {
  it('is replaced service by service, and every delivery has a valid signature', async () => {
    await addEndpoint('first');
    secrets.set('url', await post('/v1/webhooks/secret/rotate'));
    await expectDeliveries();

    await restart('webhook-sender', `${k1},${k2}`);
    await restart('api-gateway', `${k1},${k2}`);
    await addEndpoint('second');
    expect(await keyIds()).toEqual(['k1']);

    await restart('api-gateway', `${k2},${k1}`);
    await addEndpoint('third');
    await expectDeliveries();
    await restart('webhook-sender', `${k2},${k1}`);
    expect(await keyIds()).toEqual(['k1', 'k2']);

    const { code, stdout } = await reencrypt(`${k2},${k1}`);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('Every secret is sealed with k2: k1 can be removed.'),
    ]);
    expect(await keyIds()).toEqual(['k2']);
    await expectDeliveries();

    await restart('webhook-sender', `${k2}`);
    await restart('api-gateway', `${k2}`);
    const { body } = await customer.api.get('/v1/webhooks/secret');
    expect(body['secret']).toBe(secrets.get('url'));
  });
});
