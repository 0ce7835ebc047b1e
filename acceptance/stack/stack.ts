import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { gatewayConfig } from '@holdfast/api-gateway/context/config';
import { startGateway } from '@holdfast/api-gateway/start';
import { openDatabase } from '@holdfast/db/client';
import { applyModels } from '@holdfast/db/models';
import { roleOf } from '@holdfast/db/roles/rights';
import { dispatcherConfig } from '@holdfast/dispatcher/config';
import { startDispatcher } from '@holdfast/dispatcher/start';
import { type ModelFile, modelDefinition } from '@holdfast/domain/modelDefinition';
import type { Money } from '@holdfast/domain/money';
import { parseConfig } from '@holdfast/kit/config';
import { closeServer, listenAt } from '@holdfast/kit/http';
import { createLogger } from '@holdfast/kit/logger';
import { createSealedBox } from '@holdfast/kit/sealedBox';
import type { Service } from '@holdfast/kit/service';
import { ledgerConfig } from '@holdfast/ledger/config';
import { startLedger } from '@holdfast/ledger/start';
import { servicePort } from '@holdfast/local/launch/ports';
import { isOffered, loadModels } from '@holdfast/providers/catalogue/loadModels';
import { connectionConfig } from '@holdfast/providers/connectionConfig';
import { createSandbox } from '@holdfast/sandbox/server';
import { apiClient } from '@holdfast/testkit/apiClient';
import { createCustomer } from '@holdfast/testkit/testData';
import { asRole, createTestDatabase, type ServiceName } from '@holdfast/testkit/testDatabase';
import { testFolder } from '@holdfast/testkit/testFolder';
import { emptyRedis, testRedisUrl } from '@holdfast/testkit/testRedis';
import { startReceiver } from '@holdfast/testkit/webhookReceiver';
import { webhookSenderConfig } from '@holdfast/webhook-sender/config';
import { startWebhookSender } from '@holdfast/webhook-sender/start';

const modelsFolder = join(import.meta.dirname, '../../models');

export type Stack = Awaited<ReturnType<typeof startStack>>;

/**
 * The whole system in this process, on its own database: the four services, the sandbox, the models of the catalogue and of
 * `more`, and a webhook receiver. `overrides` are environment variables: with a provider's connection among them, its models
 * are offered. `logLine` receives every log line of the services; `databaseOfServices` makes the database URL of the
 * services.
 */
export async function startStack(
  overrides: Record<string, string> = {},
  more: ModelFile[] = [],
  logLine?: (line: string) => void,
  databaseOfServices: (url: string) => string = (url) => url,
) {
  const database = await createTestDatabase();
  const db = openDatabase({ url: database.url, poolSize: 4, applicationName: 'test' });
  const sandbox = await startSandbox();
  const environment = await environmentOf(databaseOfServices(database.url), sandbox.url, overrides);
  await emptyRedis(environment.REDIS_URL);
  const { models: files, texts } = await loadModels(modelsFolder);
  const models = [...files, ...more.map((model) => modelDefinition.parse(model))];
  await applyModels(db, models, (model) => isOffered(model, connectionConfig(environment)), { texts });
  const services = await startServices(environment, logLine);
  const receiver = await startReceiver();
  const box = createSealedBox(parseConfig(webhookSenderConfig, environment).ENCRYPTION_KEYS);
  return {
    db,
    databaseUrl: database.url,
    receiver,
    redisUrl: environment.REDIS_URL,
    /** The URL of the sandbox, which keeps running while services are stopped. */
    sandboxUrl: sandbox.url,
    baseUrl: environment.PUBLIC_URL,
    adminUrl: `http://127.0.0.1:${environment.ADMIN_PORT}`,
    /** The admin API. */
    admin: apiClient(`http://127.0.0.1:${environment.ADMIN_PORT}`, environment.ADMIN_TOKEN),
    services,
    /** The requests to the sandbox, as `METHOD path`. */
    providerCalls: sandbox.calls,
    newCustomer: (balance: Money = '100') =>
      createCustomer({ db, box, baseUrl: environment.PUBLIC_URL, balance }),
    async close() {
      await sandbox.cancelRuns();
      await services.stopAll();
      await Promise.all([sandbox.close(), receiver.close(), db.close()]);
      await database.drop();
    },
  };
}

async function environmentOf(databaseUrl: string, sandboxUrl: string, overrides: Record<string, string>) {
  // Chosen before the gateway listens, because the URLs that the gateway and the dispatcher make contain it.
  const [port, adminPort] = await Promise.all([servicePort(), servicePort()]);
  return {
    DATABASE_URL: databaseUrl,
    REDIS_URL: testRedisUrl(),
    LISTEN_HOST: '127.0.0.1',
    LOG_LEVEL: 'silent',
    PORT: String(port),
    ADMIN_PORT: String(adminPort),
    ADMIN_TOKEN: 'an-admin-token-for-tests',
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    FILE_DISK_PATH: testFolder('files'),
    FILE_URL_SECRET: 'a secret for the tests',
    SANDBOX_BASE_URL: sandboxUrl,
    EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_RETRY_DELAYS_S: '0,1,1,1,1',
    RATE_LIMIT_CREATE_PER_MINUTE: '1000000',
    RATE_LIMIT_PER_MINUTE: '1000000',
    ...overrides,
  };
}

type Environment = Record<string, string> & { DATABASE_URL: string };

/** Each service logs in to the database with its own role, so the tests prove that those rights suffice. */
function starters(
  environment: Environment,
  logLine?: (line: string) => void,
): Record<ServiceName, () => Promise<Service>> {
  const as = (name: ServiceName) => ({
    ...environment,
    DATABASE_URL: asRole(environment.DATABASE_URL, roleOf[name]),
  });
  const level = environment['LOG_LEVEL'] ?? 'silent';
  const logOf = (name: ServiceName) => createLogger(name, level, logLine && { write: logLine });
  const connections = connectionConfig(environment);
  return {
    'api-gateway': () =>
      startGateway({ config: parseConfig(gatewayConfig, as('api-gateway')), log: logOf('api-gateway') }),
    dispatcher: () =>
      startDispatcher(
        { ...parseConfig(dispatcherConfig, as('dispatcher')), connections },
        logOf('dispatcher'),
      ),
    ledger: () => startLedger(parseConfig(ledgerConfig, as('ledger')), logOf('ledger')),
    'webhook-sender': () =>
      startWebhookSender(parseConfig(webhookSenderConfig, as('webhook-sender')), logOf('webhook-sender')),
  };
}

/** Starts every service; each can be stopped and started again. */
async function startServices(environment: Environment, logLine?: (line: string) => void) {
  const running = new Map<ServiceName, Service>();
  const others: Service[] = [];
  const services = {
    /** `overrides` change environment variables. */
    async start(name: ServiceName, changed: Record<string, string> = {}) {
      running.set(name, await starters({ ...environment, ...changed }, logLine)[name]());
    },
    /** Starts another instance. Not for the gateway, whose ports are in use. */
    async startAnother(name: Exclude<ServiceName, 'api-gateway'>, changed: Record<string, string> = {}) {
      others.push(await starters({ ...environment, ...changed }, logLine)[name]());
    },
    async stop(name: ServiceName) {
      await running.get(name)?.stop();
      running.delete(name);
    },
    stopAll: () => Promise.all([...running.values(), ...others].map((service) => service.stop())),
  };
  await Promise.all((Object.keys(roleOf) as ServiceName[]).map((name) => services.start(name)));
  return services;
}

async function startSandbox() {
  const calls: string[] = [];
  const runs = new Set<string>();
  const app = createSandbox({ maxRunning: 1000, onLostWebhook: () => {} });
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`);
    if (request.method === 'PUT') runs.add(request.url ?? '');
    app(request, response);
  });
  const port = await listenAt(server, { host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    calls,
    /** Remaining runs and their callbacks would keep this process alive. */
    async cancelRuns() {
      await Promise.all([...runs].map((run) => fetch(`${url}${run}/cancel`, { method: 'POST' })));
    },
    async close() {
      const closed = closeServer(server);
      server.closeAllConnections();
      await closed;
    },
  };
}
