import { readFileSync, rmSync } from 'node:fs';
import { reasonOf } from '@holdfast/kit/within';
import { endProcess } from '../process/processes.ts';
import { readJson, writePrivateJson } from './home.ts';

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

/** Never throws: services run on when the disk is full. */
export function writeState(path: string, state: LocalState, say: (line: string) => void): void {
  try {
    writePrivateJson(path, state);
  } catch (error) {
    say(`Scripts won't find the services: ${reasonOf(error)}`);
  }
}

export const removeState = (path: string): void => rmSync(path, { force: true });

/** The pids of a killed launcher; empty when its file is missing or unreadable. */
function leftoverPids(path: string): number[] {
  try {
    const { services = {} } = (readJson(path) ?? {}) as Partial<LocalState>;
    return Object.values(services).map(({ pid }) => pid);
  } catch {
    return [];
  }
}

// Another program may have the pid by now: only processes started from this tree are ended.
function isService(pid: number, root: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${root}/services/`);
  } catch {
    return false;
  }
}

/** Ends the services of a killed launcher, because they hold the gateway's port. */
export async function endLeftovers(statePath: string, root: string): Promise<void> {
  const pids = leftoverPids(statePath).filter((pid) => isService(pid, root));
  await Promise.all(
    pids.map((pid) =>
      endProcess(pid, [
        ['SIGTERM', 3_000],
        ['SIGKILL', 3_000],
      ]),
    ),
  );
}
