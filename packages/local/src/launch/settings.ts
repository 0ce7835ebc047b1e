import { join } from 'node:path';
import { type Role, roleOf } from '@holdfast/db/roles/rights';
import { changeDatabaseUrl } from '@holdfast/kit/databaseAddress';
import type { Secrets } from './secrets.ts';

export const serviceNames = ['api-gateway', 'dispatcher', 'ledger', 'webhook-sender', 'sandbox'] as const;
export type ServiceName = (typeof serviceNames)[number];

export type Addresses = {
  gatewayPort: number;
  adminPort: number;
  sandboxPort: number;
  webhooksPort: number;
  databaseUrl: string;
  redisUrl: string;
};

/** Shared by all services; the environment of `npm start` wins. `dataFolder` is the disk store's. */
export function sharedSettings(
  addresses: Addresses,
  secrets: Secrets,
  dataFolder: string,
  env: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  return {
    DATABASE_URL: addresses.databaseUrl,
    REDIS_URL: addresses.redisUrl,
    LISTEN_HOST: '127.0.0.1',
    LOG_LEVEL: 'info',
    ADMIN_PORT: String(addresses.adminPort),
    ADMIN_TOKEN: secrets.adminToken,
    PUBLIC_URL: `http://127.0.0.1:${addresses.gatewayPort}`,
    ENCRYPTION_KEYS: secrets.encryptionKeys,
    FILE_STORE: 'disk',
    FILE_DISK_PATH: join(dataFolder, 'files'),
    FILE_URL_SECRET: secrets.fileUrlSecret,
    COMPATIBLE_APIS: 'openai,replicate,fal',
    SANDBOX_BASE_URL: `http://127.0.0.1:${addresses.sandboxPort}`,
    ...env,
  };
}

export function ownPorts(name: ServiceName, addresses: Addresses, metricsPort: number): NodeJS.ProcessEnv {
  const port = { 'api-gateway': addresses.gatewayPort, sandbox: addresses.sandboxPort }[name as string];
  return { METRICS_PORT: String(metricsPort), ...(port === undefined ? {} : { PORT: String(port) }) };
}

export const webhooksOrigin = ({ webhooksPort }: Addresses) => `http://127.0.0.1:${webhooksPort}`;

/**
 * What webhooks may reach beyond the default: receivers on this machine, while Holdfast serves this machine alone. The
 * environment of `npm start` wins.
 */
export function ownOpening(
  name: ServiceName,
  addresses: Addresses,
  env: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  if (name !== 'api-gateway' && name !== 'webhook-sender') return {};
  const own = { WEBHOOK_ALLOW_ORIGINS: webhooksOrigin(addresses) };
  return opensLoopback(env)
    ? { ...own, WEBHOOK_ALLOW_HTTP: 'loopback', EGRESS_ALLOW_CIDRS: '127.0.0.0/8,::1/128' }
    : own;
}

/** With another address, others use Holdfast through a proxy of this machine. */
const isLoopbackUrl = (url: string | undefined) =>
  !url || ['localhost', '127.0.0.1', '[::1]'].includes(URL.parse(url)?.hostname ?? '');

export const opensLoopback = (env: NodeJS.ProcessEnv) =>
  [undefined, '', '127.0.0.1', 'localhost', '::1'].includes(env['LISTEN_HOST']) &&
  isLoopbackUrl(env['PUBLIC_URL']) &&
  env['EGRESS_ALLOW_CIDRS'] === undefined &&
  env['WEBHOOK_ALLOW_HTTP'] === undefined;

/** The database login of a service; none for the sandbox. `passwords` null: all use the URL as it is. */
export function ownLogin(
  name: ServiceName,
  databaseUrl: string,
  passwords: Record<Role, string> | null,
): NodeJS.ProcessEnv {
  if (passwords === null) return {};
  if (name === 'sandbox') return { DATABASE_URL: undefined };
  const login = { username: roleOf[name], password: passwords[roleOf[name]] };
  return { DATABASE_URL: changeDatabaseUrl(databaseUrl, (server) => void Object.assign(server, login)) };
}
