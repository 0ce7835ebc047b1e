import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { removePostgresData } from '../postgres/dataFolder.ts';
import { startTicks } from '../process/processes.ts';
import { type LaunchOptions, launch } from './launch.ts';
import { servicePort } from './ports.ts';
import { type Running, shutDown } from './running.ts';
import { serviceNames } from './settings.ts';
import type { LocalState } from './stateFile.ts';

const root = resolve(import.meta.dirname, '../../../..');
const fake = join(import.meta.dirname, '../supervisor/fakeService.ts');

let folder: string;
let said: string[];
let running: Running;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-launch-'));
  said = [];
  running = { services: [] };
});

afterEach(async () => {
  await shutDown(running);
  removePostgresData(join(folder, 'postgres'));
  rmSync(folder, { recursive: true, force: true });
}, 30_000);

/** The first is the one to use; the gateway takes all. */
const adminTokens = 'ann:from-the-environment,bob:another-that-is-long-enough';

async function options(change: Partial<LaunchOptions> = {}): Promise<LaunchOptions> {
  const { DATABASE_URL: _database, REDIS_URL: _redis, ...inherited } = process.env;
  return {
    root,
    flags: { port: await servicePort(), ephemeral: false, help: false },
    env: { ...inherited, HOLDFAST_HOME: folder, ADMIN_TOKEN: adminTokens },
    migrate: async () => [],
    setRoles: async () => {},
    seed: async ({ apiKey }) => ({ organizationId: 'org_1', apiKey: apiKey ?? 'the-first-key' }),
    say: (line) => said.push(line),
    mainOf: () => fake,
    ...change,
  };
}

const start = async (change?: Partial<LaunchOptions>) =>
  await launch(await options(change), running, new AbortController().signal);

const statePath = () => join(folder, 'local.json');
const readState = () => JSON.parse(readFileSync(statePath(), 'utf8')) as LocalState;

async function askFake(name: string) {
  const { metrics_url = '' } = readState().services[name] ?? {};
  return (await (await fetch(metrics_url)).json()) as {
    databaseUser: string | null;
    webhookOrigins?: string;
  };
}

const databaseUserOf = async (name: string) => (await askFake(name)).databaseUser;
const openedTo = async (name: string) => (await askFake(name)).webhookOrigins;

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(10);
}

function livingPids(): number[] {
  const pids = [...running.services, running.redis, running.postgres].map((part) => part?.pid() ?? 0);
  return pids.filter((pid) => pid > 0 && startTicks(pid) !== null);
}

describe('npm start', () => {
  it('writes a local.json that only its owner can read, keeps its pids current, and stops everything in time', async () => {
    const text = await start();
    expect(statSync(statePath()).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'secrets.json')).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'logs')).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'logs/ledger.log')).mode & 0o777).toBe(0o600);
    const state = readState();
    expect(text).toContain(state.base_url);
    expect(text).toMatch(/token +from-the-environment\n/);
    expect(state).toMatchObject({
      api_key: 'the-first-key',
      organization_id: 'org_1',
      admin_token: 'from-the-environment',
      database_url: expect.stringMatching(/^postgresql:/),
      redis_url: expect.stringMatching(/^redis:/),
    });
    expect(Object.keys(state.services)).toEqual([...serviceNames]);

    const before = state.services['ledger'];
    const response = await (await fetch(before?.metrics_url ?? '')).json();
    expect(response).toEqual({
      pid: before?.pid,
      adminToken: adminTokens,
      databaseUser: 'holdfast_ledger',
    });
    process.kill(before?.pid ?? 0, 'SIGKILL');
    await until(() => readState().services['ledger']?.pid !== before?.pid);
    expect(said.join('\n')).toContain('ledger ended (SIGKILL)');

    const pids = livingPids();
    expect(pids.length).toBeGreaterThanOrEqual(6);
    await shutDown(running);
    expect(pids.filter((pid) => startTicks(pid) !== null)).toEqual([]);
    expect(existsSync(statePath())).toBe(false);
  }, 60_000);

  it('goes on when local.json cannot be written, and says so in one line', async () => {
    await start();
    rmSync(statePath());
    mkdirSync(statePath());
    const ledger = running.services.find(({ name }) => name === 'ledger');
    const restart = async () => {
      const first = ledger?.pid() ?? 0;
      process.kill(first, 'SIGKILL');
      await until(() => ledger?.pid() !== first);
    };
    await restart();
    expect(said.filter((line) => line.startsWith('Scripts'))).toEqual([
      expect.stringMatching(/^Scripts won't find the services: \S+local\.json can't be written: .+$/),
    ]);
    rmdirSync(statePath());
    await restart();
    expect(readState().services['ledger']?.pid).toBe(ledger?.pid());
  }, 60_000);

  it('restarts PostgreSQL and Redis on the same port when they die', async () => {
    await start();
    for (const server of [running.postgres, running.redis]) {
      const first = server?.pid() ?? 0;
      process.kill(first, 'SIGKILL');
      await until(() => server?.pid() !== first);
    }
    expect(said.filter((line) => line.endsWith('runs again.'))).toEqual([
      'PostgreSQL runs again.',
      'Redis runs again.',
    ]);
  }, 60_000);

  it('keeps its data, key, passwords and ports at the next start, which follows its environment', async () => {
    const setRoles = jest.fn<LaunchOptions['setRoles']>(async () => {});
    await start({ setRoles });
    const { webhooks_origin, admin_url } = readState();
    expect(webhooks_origin).toMatch(/^http:\/\/127\.0\.0\.1:1\d{4}$/);
    expect(await Promise.all(serviceNames.map(openedTo))).toEqual([
      webhooks_origin,
      undefined,
      undefined,
      webhooks_origin,
      undefined,
    ]);
    expect(await Promise.all(serviceNames.map(databaseUserOf))).toEqual([
      'holdfast_gateway',
      'holdfast_dispatcher',
      'holdfast_ledger',
      'holdfast_webhook_sender',
      null,
    ]);
    await shutDown(running);
    running = { services: [] };
    const { env } = await options();
    const folders: string[] = [];
    const text = await start({
      setRoles,
      env: { ...env, MODELS_DIR: '/my/models', WEBHOOK_ALLOW_ORIGINS: '' },
      seed: async ({ apiKey, modelsDir }) => {
        folders.push(modelsDir);
        return { organizationId: 'org_1', apiKey: apiKey ?? 'another-key' };
      },
    });
    expect(readState()).toMatchObject({ api_key: 'the-first-key', webhooks_origin, admin_url });
    expect(folders).toEqual(['/my/models']);
    expect(text).toContain('npm run webhooks:listen');
    expect(await openedTo('webhook-sender')).toBe('');
    const [first, second] = setRoles.mock.calls.map(([, passwords]) => passwords);
    expect(new Set(Object.values(first ?? {})).size).toBe(4);
    expect(second).toEqual(first);
  }, 60_000);

  it('does not change the roles of a database that the environment names', async () => {
    const setRoles = jest.fn<LaunchOptions['setRoles']>(async () => {});
    const { env } = await options();
    const DATABASE_URL = 'postgresql://owner:password@127.0.0.1:1/elsewhere';
    await start({ setRoles, env: { ...env, DATABASE_URL } });
    expect(await Promise.all(serviceNames.map(databaseUserOf))).toEqual(Array(5).fill('owner'));
    expect(setRoles).not.toHaveBeenCalled();
  }, 60_000);

  it('removes the data of an ephemeral start', async () => {
    await start({ flags: { port: await servicePort(), ephemeral: true, help: false } });
    const data = running.home?.data ?? '';
    expect(existsSync(join(data, 'redis'))).toBe(true);
    await shutDown(running);
    expect(existsSync(data)).toBe(false);
    expect(existsSync(join(folder, 'postgres'))).toBe(false);
  }, 60_000);

  it('says in one line that the port is in use', async () => {
    const port = await servicePort();
    const other = createServer().listen(port, '127.0.0.1');
    const starting = start({ flags: { port, ephemeral: false, help: false } });
    await expect(starting).rejects.toThrow(new RegExp(`^Port ${port} is in use.*--port N\\.$`));
    other.close();
  });

  it('reports every problem of the servers that its environment names before it starts one', async () => {
    const { env } = await options();
    const given = { DATABASE_URL: 'postgres://:secret@h:x/db', REDIS_URL: 'redis+cluster://:secret@h:99999' };
    const starting = start({ env: { ...env, ...given } });
    await expect(starting).rejects.toThrow(
      /^DATABASE_URL: is not a URL like .*\nREDIS_URL: is not a URL like .*$/,
    );
    await expect(starting).rejects.not.toThrow(/secret/);
    expect(said).toEqual([]);
  });

  it('refuses a second start on the same folder in one line', async () => {
    await start();
    const second: Running = { services: [] };
    const starting = launch(await options(), second, new AbortController().signal);
    await expect(starting).rejects.toThrow(/^Holdfast runs on .* already/);
    await shutDown(second);
    expect(existsSync(statePath())).toBe(true);
  }, 60_000);
});
