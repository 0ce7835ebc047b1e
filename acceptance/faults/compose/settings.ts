import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { servicePort } from '@holdfast/local/launch/ports';

export type Settings = { baseUrl: string; adminUrl: string; environment: Record<string, string> };

/** The settings that differ from a normal stack: names and ports, webhooks to this machine, short retry delays. */
export async function chooseSettings(project: string): Promise<Settings> {
  const [port, adminPort] = [await servicePort(), await servicePort()];
  const baseUrl = `http://localhost:${port}`;
  const environment = {
    COMPOSE_PROJECT_NAME: project,
    IMAGE_PREFIX: project,
    API_PORT: String(port),
    ADMIN_PORT: String(adminPort),
    PUBLIC_URL: baseUrl,
    LOG_LEVEL: 'info',
    EGRESS_ALLOW_CIDRS: '172.16.0.0/12,192.168.0.0/16,10.0.0.0/8',
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_RETRY_DELAYS_S: '0,1,1,1,1',
    RATE_LIMIT_CREATE_PER_MINUTE: '1000000',
    RATE_LIMIT_PER_MINUTE: '1000000',
  };
  return { baseUrl, adminUrl: `http://127.0.0.1:${adminPort}`, environment };
}

/** A value of the `.env` that `deploy/init-env` wrote. @throws if it is missing */
export function valueOf(folder: string, name: string): string {
  const found = new RegExp(`^${name}=(.+)$`, 'm').exec(readFileSync(join(folder, '.env'), 'utf8'));
  if (!found?.[1]) throw new Error(`${name} is not in .env`);
  return found[1];
}
