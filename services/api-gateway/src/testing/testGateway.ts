import { randomBytes } from 'node:crypto';
import { topUp } from '@holdfast/db/balances';
import { createOrganization } from '@holdfast/db/organizations';
import type { ApiKeyPermissions } from '@holdfast/domain/apiKey';
import { newId } from '@holdfast/domain/ids';
import { newWebhookSecret } from '@holdfast/domain/webhookSignature';
import { parseConfig } from '@holdfast/kit/config';
import { createLogger } from '@holdfast/kit/logger';
import { untilReady } from '@holdfast/queues/connection';
import { closing } from '@holdfast/testkit/closing';
import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { testFolder } from '@holdfast/testkit/testFolder';
import { testRedisUrl } from '@holdfast/testkit/testRedis';
import type { Express } from 'express';
import request from 'supertest';
import { boundsFor, unbounded } from '../access/keyBounds.ts';
import { issueApiKey } from '../access/newKeys.ts';
import { createApp } from '../app.ts';
import { gatewayConfig } from '../context/config.ts';
import { closeContext, openContext } from '../context/context.ts';
import { applyTestModels } from './testModels.ts';

/** Requests to an app with this key or admin token. */
export function clientOf(app: Express, token: string) {
  const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const;
  const send = (method: (typeof methods)[number]) => (path: string) =>
    request(app)[method](path).auth(token, { type: 'bearer' });
  return Object.fromEntries(methods.map((method) => [method, send(method)])) as Record<
    (typeof methods)[number],
    (path: string) => request.Test
  >;
}

export type TestServers = { databaseUrl: string; redisUrl: string; folder: string };

/** The API in this process, without the other services; `settings` are environment variables. */
export async function openTestGateway(servers: TestServers, settings: Record<string, string> = {}) {
  const config = parseConfig(gatewayConfig, {
    DATABASE_URL: servers.databaseUrl,
    REDIS_URL: servers.redisUrl,
    ADMIN_TOKEN: 'an-admin-token-for-tests',
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    FILE_DISK_PATH: servers.folder,
    FILE_URL_SECRET: 'a secret for the tests',
    PUBLIC_URL: 'http://gateway.test',
    ...settings,
  });
  const context = await openContext({ config, log: createLogger('test', 'silent'), tracing: null });

  const app = createApp(context);

  async function newOrganization(): Promise<string> {
    const sealedSecret = context.box.seal(newWebhookSecret());
    return (await createOrganization(context.db, { id: newId('org'), name: 'Test', sealedSecret })).id;
  }

  return {
    app,
    context,
    servers,
    newOrganization,
    client: (key: string) => clientOf(app, key),
    async newKey(organizationId: string, permissions: ApiKeyPermissions = 'full'): Promise<string> {
      const bounds = boundsFor(unbounded, { name: 'test', permissions });
      return (await issueApiKey(context.db, { organizationId, name: 'test', bounds })).value;
    },
    close: () => closeContext(context),
  };
}

export type TestGateway = Awaited<ReturnType<typeof openTestGateway>>;

/** The same with its own database, which has the test models and is dropped on close. */
export async function startTestGateway(settings: Record<string, string> = {}): Promise<TestGateway> {
  const database = await createTestDatabase();
  const servers = { databaseUrl: database.url, redisUrl: testRedisUrl(), folder: testFolder('files') };
  const gateway = await openTestGateway(servers, settings);
  await applyTestModels(gateway.context.db);
  await untilReady(gateway.context.redis, 20_000);
  return {
    ...gateway,
    async close() {
      await gateway.close();
      await database.drop();
    },
  };
}

/** The same for all tests of a file; it is closed after the last of them. */
export async function gatewayOfTests(settings: Record<string, string> = {}): Promise<TestGateway> {
  return closing(await startTestGateway(settings));
}

/** Tokens of three operators, an admin, one of support and a viewer, and the settings that name them. */
export const operators = {
  ann: 'ann-has-a-token-of-hers',
  sam: 'sam-has-a-token-of-his',
  val: 'val-has-a-token-as-well',
};
export const withOperators = {
  ADMIN_TOKEN: Object.entries(operators)
    .map(([name, token]) => `${name}:${token}`)
    .join(),
  ADMIN_ROLES: 'sam:support,val:viewer',
};

/** An organization with a key and, where given, a balance. */
export async function organizationWithKey(
  gateway: TestGateway,
  { balance }: { balance?: string } = {},
): Promise<{ organizationId: string; key: string }> {
  const organizationId = await gateway.newOrganization();
  if (balance !== undefined) {
    await topUp(gateway.context.db, { organizationId, amount: balance, reason: null, idempotencyKey: null });
  }
  return { organizationId, key: await gateway.newKey(organizationId) };
}
