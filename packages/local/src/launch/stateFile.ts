import { rmSync } from 'node:fs';
import { readJson, writePrivateJson } from './privateFile.ts';

/** `local.json`, which scripts and tests use to find a running Holdfast. `admin_url` is without `/admin/v1`. */
export type LocalState = {
  base_url: string;
  api_key: string;
  organization_id: string;
  admin_url: string;
  admin_token: string;
  database_url: string;
  redis_url: string;
  /** Where `npm run webhooks:listen` listens; webhooks may go there. */
  webhooks_origin: string;
  services: Record<string, { pid: number; metrics_url: string }>;
};

export const writeState = (path: string, state: LocalState): void => writePrivateJson(path, state);

export const removeState = (path: string): void => rmSync(path, { force: true });

/** The pids of a killed launcher; empty when its file is missing or unreadable. */
export function leftoverPids(path: string): number[] {
  try {
    const { services = {} } = (readJson(path) ?? {}) as Partial<LocalState>;
    return Object.values(services).map(({ pid }) => pid);
  } catch {
    return [];
  }
}
