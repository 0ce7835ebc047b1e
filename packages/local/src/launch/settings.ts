import { join } from 'node:path';
import { type Role, roleOf } from '@holdfast/db/roles/rights';
import type { Secrets } from './secrets.ts';

/** The services of `npm start`, in the order in which they are shown. */
export const serviceNames = ['api-gateway', 'dispatcher', 'ledger', 'webhook-sender', 'sandbox'] as const;
export type ServiceName = (typeof serviceNames)[number];

export type Addresses = {
  gatewayPort: number;
  adminPort: number;
  sandboxPort: number;
  /** Of `npm run webhooks:listen`. */
  webhooksPort: number;
  databaseUrl: string;
  redisUrl: string;
};

/**
 * The settings that all services share; what the environment of `npm start` sets, wins over what is chosen here.
 * @param dataFolder where the disk store keeps its files
 */
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
    SANDBOX_BASE_URL: `http://127.0.0.1:${addresses.sandboxPort}`,
    ...env,
  };
}

/** The ports that one service listens on: PORT is the gateway's and the sandbox's own. */
export function ownPorts(name: ServiceName, addresses: Addresses, metricsPort: number): NodeJS.ProcessEnv {
  const port = { 'api-gateway': addresses.gatewayPort, sandbox: addresses.sandboxPort }[name as string];
  return { METRICS_PORT: String(metricsPort), ...(port === undefined ? {} : { PORT: String(port) }) };
}

export const webhooksOrigin = ({ webhooksPort }: Addresses) => `http://127.0.0.1:${webhooksPort}`;

/** What those who take and post webhooks may reach beyond the default; the environment of `npm start` wins. */
export function ownOpening(name: ServiceName, addresses: Addresses): NodeJS.ProcessEnv {
  const isAboutWebhooks = name === 'api-gateway' || name === 'webhook-sender';
  return isAboutWebhooks ? { WEBHOOK_ALLOW_ORIGINS: webhooksOrigin(addresses) } : {};
}

/** With which database role one service logs in; the sandbox with none. `passwords` null: all with the URL as it is. */
export function ownLogin(
  name: ServiceName,
  databaseUrl: string,
  passwords: Record<Role, string> | null,
): NodeJS.ProcessEnv {
  if (passwords === null) return {};
  if (name === 'sandbox') return { DATABASE_URL: undefined };
  const url = new URL(databaseUrl);
  url.username = roleOf[name];
  url.password = passwords[roleOf[name]];
  return { DATABASE_URL: url.href };
}
