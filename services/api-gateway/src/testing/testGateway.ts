import { randomBytes } from 'node:crypto';
import { createOrganization } from '@holdfast/db/organizations';
import type { ApiKeyPermissions } from '@holdfast/domain/apiKey';
import { newId } from '@holdfast/domain/ids';
import { newWebhookSecret } from '@holdfast/domain/webhookSignature';
import { parseConfig } from '@holdfast/kit/config';
import { createLogger } from '@holdfast/kit/logger';
import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { testFolder } from '@holdfast/testkit/testFolder';
import { testRedisUrl } from '@holdfast/testkit/testRedis';
import { boundsFor, unbounded } from '../apiKeys/keyBounds.ts';
import { issueApiKey } from '../apiKeys/newKeys.ts';
import { createApp } from '../app.ts';
import { gatewayConfig } from '../config.ts';
import { closeContext, openContext } from '../context.ts';

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
  const context = openContext({ config, log: createLogger('test', 'silent'), tracing: null });

  async function newOrganization(): Promise<string> {
    const sealedSecret = context.box.seal(newWebhookSecret());
    return (await createOrganization(context.db, { id: newId('org'), name: 'Test', sealedSecret })).id;
  }

  return {
    app: createApp(context),
    context,
    servers,
    newOrganization,
    async newKey(organizationId: string, permissions: ApiKeyPermissions = 'full'): Promise<string> {
      const bounds = boundsFor(unbounded, { name: 'test', permissions });
      return (await issueApiKey(context.db, { organizationId, name: 'test', bounds })).value;
    },
    close: () => closeContext(context),
  };
}

export type TestGateway = Awaited<ReturnType<typeof openTestGateway>>;

/** The same on a database of its own, which goes with it. */
export async function startTestGateway(settings: Record<string, string> = {}): Promise<TestGateway> {
  const database = await createTestDatabase();
  const servers = { databaseUrl: database.url, redisUrl: testRedisUrl(), folder: testFolder('files') };
  const gateway = await openTestGateway(servers, settings);
  return {
    ...gateway,
    async close() {
      await gateway.close();
      await database.drop();
    },
  };
}
