import { rmSync } from 'node:fs';
import { readJson, writePrivateJson } from './privateFile.ts';

/** `local.json`: what scripts and tests need to use a running Holdfast. `admin_url` is without `/admin/v1`. */
export type LocalState = {
  base_url: string;
  api_key: string;
  organization_id: string;
  admin_url: string;
  admin_token: string;
  /** Of the database's owner. */
  database_url: string;
  redis_url: string;
  /** What `npm run webhooks:listen` listens on, and webhooks may go to. */
  webhooks_origin: string;
  services: Record<string, { pid: number; metrics_url: string }>;
};

export const writeState = (path: string, state: LocalState): void => writePrivateJson(path, state);

export const removeState = (path: string): void => rmSync(path, { force: true });

/** The pids that a launcher which was killed left in its file; none when there is no file or it can't be read. */
export function leftoverPids(path: string): number[] {
  try {
    const { services = {} } = (readJson(path) ?? {}) as Partial<LocalState>;
    return Object.values(services).map(({ pid }) => pid);
  } catch {
    return [];
  }
}
