import { join } from 'node:path';
import type { Role } from '@holdfast/db/roles/rights';
import { firstAdminToken } from '@holdfast/domain/adminTokens';
import type { Watcher } from '../supervisor/supervise.ts';
import { welcome } from './console.ts';
import { dataFolders, requireSpace } from './disk.ts';
import type { Flags } from './flags.ts';
import { type Home, lockHome, openHome } from './home.ts';
import { adminPort, requireGatewayPort, reservePorts, servicePort, webhooksPort } from './ports.ts';
import {
  type Demo,
  type Migrate,
  prepareDatabase,
  prepareFiles,
  type Seed,
  type SetRoles,
} from './preparation.ts';
import { type Running, startOrphanGuard, tellGuard } from './running.ts';
import { keepPorts, loadSecrets, rolePasswords, type Secrets } from './secrets.ts';
import {
  checkGivenServers,
  chosenServers,
  keepPostgres,
  keepRedis,
  type ServerAddresses,
} from './servers.ts';
import { type RunningService, type ServiceProgram, startService, untilReady } from './services.ts';
import {
  type Addresses,
  opensLoopback,
  ownLogin,
  ownOpening,
  ownPorts,
  type ServiceName,
  serviceNames,
  sharedSettings,
  webhooksOrigin,
} from './settings.ts';
import { consoleLink } from './signInLink.ts';
import { endLeftovers, type LocalState, removeState, writeState } from './stateFile.ts';

export type LaunchOptions = {
  root: string;
  flags: Flags;
  env: NodeJS.ProcessEnv;
  migrate: Migrate;
  setRoles: SetRoles;
  seed: Seed;
  say: (line: string) => void;
  /** The file that Node runs as a service; tests replace it. */
  mainOf: (name: ServiceName) => string;
  postgresSettings?: Record<string, string>;
};

/** Starts everything in order and returns the welcome text. @throws LaunchError for the user to read */
export async function launch(options: LaunchOptions, running: Running, signal: AbortSignal): Promise<string> {
  const { root, flags, env, say } = options;
  checkGivenServers(env);
  const folder = env['HOLDFAST_HOME'] || join(root, '.holdfast');
  const home = openHome(folder, flags.ephemeral);
  requireSpace(dataFolders(home));
  running.home = home;
  running.unlock = await lockHome(home.folder);
  await endLeftovers(home.statePath, root);
  removeState(home.statePath);
  await requireGatewayPort(flags.port);
  reservePorts([flags.port, Number(env['ADMIN_PORT'])]);
  const loaded = loadSecrets(home.secretsPath);
  const effective = effectiveSecrets(loaded, env);
  running.guard = startOrphanGuard(flags.ephemeral ? home.data : undefined);

  let publish = () => {};
  const watcher: Watcher = {
    say,
    onPid: () => {
      tellGuard(running);
      publish();
    },
  };
  const chosen = await chosenServers(env);
  const planned = { ...chosen, ...(await chosenPorts(options, loaded)) };
  const secrets = keepPorts(home.secretsPath, loaded, planned);
  const settings = sharedSettings(planned, effective, home.data, env);
  // A database from the environment may be shared, and its owner may not be allowed to create roles.
  const passwords = env['DATABASE_URL'] ? null : rolePasswords(secrets);
  // Services load their modules while the servers start, which takes them longer than it takes the servers.
  const prepared = Promise.withResolvers<void>();
  running.services = (await programs(options, planned, settings, passwords)).map((program) =>
    startService({ ...program, servers: prepared.promise }, home.folder, watcher),
  );
  watcher.onPid();
  const addresses = { ...planned, ...(await startServers(options, home, chosen, running, watcher, signal)) };
  const demo = await prepareDatabase({
    ...options,
    environment: settings,
    databaseUrl: addresses.databaseUrl,
    passwords,
    encryptionKeys: effective.encryptionKeys,
    secretsPath: home.secretsPath,
    kept: secrets,
  });
  await prepareFiles(settings, say);
  signal.throwIfAborted();

  prepared.resolve();
  await Promise.all(
    running.services.map(async (service) => {
      await untilReady(service, signal);
      say(`${service.name} is ready.`);
    }),
  );
  publish = () => writeState(home.statePath, stateOf(addresses, effective, demo, running.services), say);
  publish();
  const { baseUrl, adminUrl } = origins(addresses);
  const adminToken = firstAdminToken(effective.adminToken);
  return welcome({
    baseUrl,
    adminUrl,
    adminToken,
    consoleUrl: await consoleLink(adminUrl, adminToken),
    apiKey: demo.apiKey,
    home: home.folder,
    isLoopbackOpen: opensLoopback(env),
  });
}

// The environment wins over stored secrets, as in the services.
function effectiveSecrets(kept: Secrets, env: NodeJS.ProcessEnv): Secrets {
  return {
    ...kept,
    encryptionKeys: env['ENCRYPTION_KEYS'] || kept.encryptionKeys,
    fileUrlSecret: env['FILE_URL_SECRET'] || kept.fileUrlSecret,
    adminToken: env['ADMIN_TOKEN'] || kept.adminToken,
  };
}

async function startServers(
  { env, flags, say, postgresSettings = {} }: LaunchOptions,
  home: Home,
  chosen: ServerAddresses,
  running: Running,
  watcher: Watcher,
  signal: AbortSignal,
): Promise<Pick<Addresses, 'databaseUrl' | 'redisUrl'>> {
  async function startPostgres(): Promise<string> {
    say(env['DATABASE_URL'] ? 'PostgreSQL of DATABASE_URL is used.' : 'starting PostgreSQL');
    running.postgres = await keepPostgres(home.data, env['DATABASE_URL'], chosen, watcher, postgresSettings);
    watcher.onPid();
    return running.postgres.url;
  }
  async function startRedis(): Promise<string> {
    say(env['REDIS_URL'] ? 'Redis of REDIS_URL is used.' : 'starting Redis');
    running.redis = await keepRedis(home.data, env['REDIS_URL'], chosen, watcher, !flags.noInstall);
    watcher.onPid();
    return running.redis.url;
  }
  const starting = [startPostgres(), startRedis()] as const;
  // If one fails, the other must be known before everything is stopped.
  await Promise.allSettled(starting);
  const [databaseUrl, redisUrl] = await Promise.all(starting);
  signal.throwIfAborted();
  return { databaseUrl, redisUrl };
}

async function chosenPorts({ flags, env }: LaunchOptions, kept: Secrets) {
  const gatewayPort = flags.port;
  const admin = Number(env['ADMIN_PORT']) || (await adminPort(kept.adminPort, [gatewayPort]));
  return {
    gatewayPort,
    adminPort: admin,
    sandboxPort: await servicePort(),
    webhooksPort: await webhooksPort(kept.webhooksPort, [gatewayPort, admin]),
  };
}

async function programs(
  { mainOf, env }: LaunchOptions,
  addresses: Addresses,
  settings: NodeJS.ProcessEnv,
  passwords: Record<Role, string> | null,
): Promise<ServiceProgram[]> {
  return await Promise.all(
    serviceNames.map(async (name) => {
      const metricsPort = await servicePort();
      return {
        name,
        main: mainOf(name),
        env: {
          ...ownOpening(name, addresses, env),
          ...settings,
          ...ownPorts(name, addresses, metricsPort),
          ...ownLogin(name, addresses.databaseUrl, passwords),
        },
        metricsPort,
      };
    }),
  );
}

function origins({ gatewayPort, adminPort }: Addresses) {
  return { baseUrl: `http://127.0.0.1:${gatewayPort}`, adminUrl: `http://127.0.0.1:${adminPort}` };
}

function stateOf(addresses: Addresses, secrets: Secrets, demo: Demo, services: RunningService[]): LocalState {
  const { baseUrl, adminUrl } = origins(addresses);
  return {
    base_url: baseUrl,
    api_key: demo.apiKey,
    organization_id: demo.organizationId,
    admin_url: adminUrl,
    admin_token: firstAdminToken(secrets.adminToken),
    database_url: addresses.databaseUrl,
    redis_url: addresses.redisUrl,
    webhooks_origin: webhooksOrigin(addresses),
    services: Object.fromEntries(
      services.map(({ name, pid, metricsUrl }) => [name, { pid: pid() ?? 0, metrics_url: metricsUrl }]),
    ),
  };
}
