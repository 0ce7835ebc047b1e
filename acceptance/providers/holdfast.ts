import { cpSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { migrate } from '@holdfast/db/migrate/migrate';
import { applyRoles } from '@holdfast/db/roles/roles';
import { seed } from '@holdfast/local/database';
import { readJson } from '@holdfast/local/launch/home';
import { launch } from '@holdfast/local/launch/launch';
import { servicePort } from '@holdfast/local/launch/ports';
import { type Running, shutDown } from '@holdfast/local/launch/running';
import type { ServiceName } from '@holdfast/local/launch/settings';
import type { LocalState } from '@holdfast/local/launch/stateFile';
import { type ApiClient, apiClient } from '@holdfast/testkit/apiClient';
import { until } from '@holdfast/testkit/until';
import { type ExecutionBody, readExecution } from '../stack/executions.ts';

const root = resolve(import.meta.dirname, '../..');
const ended = ['COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'];

export type Record = ExecutionBody & { progress?: number | null };
export type LogLine = { level: number; msg: string } & { [field: string]: unknown };

/** The system under test, in processes of its own, as `npm start -- --ephemeral` starts it. */
export type Holdfast = {
  api: ApiClient;
  state: LocalState;
  /** The lines that a service has logged since the launch. */
  log(service: ServiceName): LogLine[];
  /** Kills a service's process without a word, and resolves when its successor is ready. */
  kill(service: ServiceName): Promise<void>;
  /** Resolves with the record of an execution once it has ended. */
  untilEnded(id: string, withinMs?: number): Promise<Record>;
  close(): Promise<void>;
};

/** `connections`: the environment by which it reaches the servers under test. */
export async function startHoldfast(
  { home, connections }: { home: string; connections: { [name: string]: string } },
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<Holdfast> {
  const running: Running = { services: [] };
  const close = () => shutDown(running);
  try {
    await launch(await launchOptions(home, connections, say), running, signal);
  } catch (error) {
    await close();
    throw error;
  }
  const state = readJson(join(home, 'local.json')) as LocalState;
  const api = apiClient(state.base_url, state.api_key);
  const service = (name: ServiceName) => {
    const found = running.services.find((one) => one.name === name);
    if (found === undefined) throw new Error(`there is no service ${name}`);
    return found;
  };
  return {
    api,
    state,
    log: (name) => logLines(service(name).logPath),
    async kill(name) {
      const before = service(name).pid();
      if (before === undefined) throw new Error(`${name} does not run`);
      process.kill(before, 'SIGKILL');
      const isBack = async () => service(name).pid() !== before && (await service(name).isReady());
      await until(`${name} is back`, isBack, 60_000);
    },
    untilEnded: (id, withinMs = 60_000) =>
      until(
        `${id} has ended`,
        async () => {
          const record: Record = await readExecution(api, id);
          return ended.includes(record.status) && record;
        },
        withinMs,
      ),
    close,
  };
}

async function launchOptions(
  home: string,
  connections: { [name: string]: string },
  say: (line: string) => void,
) {
  return {
    root,
    flags: { port: await servicePort(), ephemeral: true, help: false },
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      LANG: process.env['LANG'],
      HOLDFAST_HOME: home,
      MODELS_DIR: modelsIn(home),
      RATE_LIMIT_CREATE_PER_MINUTE: '1000000',
      RATE_LIMIT_PER_MINUTE: '1000000',
      ...connections,
    },
    migrate,
    setRoles: applyRoles,
    seed,
    say,
    mainOf: (name: string) => join(root, 'services', name, 'src/main.ts'),
  };
}

/** The models of the suites, and the examples that people copy, which are to work as they are. */
function modelsIn(home: string): string {
  const folder = join(home, 'models');
  for (const source of [join(import.meta.dirname, 'models'), join(root, 'models/examples')])
    cpSync(source, folder, { recursive: true });
  return folder;
}

function logLines(path: string): LogLine[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as LogLine);
}
