import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { migrate } from '@holdfast/db/migrate/migrate';
import { applyRoles } from '@holdfast/db/roles/roles';
import { seed } from '@holdfast/local/database';
import { readJson } from '@holdfast/local/launch/home';
import { launch } from '@holdfast/local/launch/launch';
import { servicePort } from '@holdfast/local/launch/ports';
import { type Running, shutDown } from '@holdfast/local/launch/running';
import type { LocalState } from '@holdfast/local/launch/stateFile';
import { serviceEnvironment } from './config.ts';
import type { Flags } from './flags.ts';
import { settingsForStatements } from './postgres.ts';

const root = resolve(import.meta.dirname, '..');

/** As `npm start -- --ephemeral`, in a home of its own. */
export type Stack = {
  ready: Promise<LocalState>;
  running: Running;
  /** Also while it is starting. */
  close(): Promise<void>;
};

export function startStack(
  flags: Pick<Flags, 'cpuProfile' | 'pgStat'>,
  say: (line: string) => void,
  more: Record<string, string> = {},
): Stack {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
  const running: Running = { services: [] };
  const aborting = new AbortController();

  async function start(): Promise<LocalState> {
    const options = {
      root,
      flags: { port: await servicePort(), ephemeral: true, help: false },
      env: { ...serviceEnvironment(home, flags.cpuProfile), ...more },
      migrate,
      setRoles: applyRoles,
      seed,
      say,
      mainOf: (name: string) => join(root, 'services', name, 'src/main.ts'),
      postgresSettings: flags.pgStat ? settingsForStatements : {},
    };
    await launch(options, running, aborting.signal);
    return readJson(join(home, 'local.json')) as LocalState;
  }

  const ready = start();
  return {
    ready,
    running,
    async close() {
      aborting.abort();
      await ready.catch(() => undefined);
      await shutDown(running);
      rmSync(home, { recursive: true, force: true });
    },
  };
}
