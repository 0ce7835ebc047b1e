import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openDatabase } from '@holdfast/db/client';
import { migrate } from '@holdfast/db/migrate/migrate';
import { applyRoles } from '@holdfast/db/roles/roles';
import { createSealedBox, encryptionKeys } from '@holdfast/kit/sealedBox';
import { seed } from '@holdfast/local/database';
import { readJson } from '@holdfast/local/launch/home';
import { type LaunchOptions, launch } from '@holdfast/local/launch/launch';
import { servicePort } from '@holdfast/local/launch/ports';
import { type Running, shutDown } from '@holdfast/local/launch/running';
import { loadSecrets, rolePasswords } from '@holdfast/local/launch/secrets';
import { startService, untilReady } from '@holdfast/local/launch/services';
import type { LocalState } from '@holdfast/local/launch/stateFile';
import { apiClient } from '@holdfast/testkit/apiClient';
import { outputOf } from '@holdfast/testkit/command';
import { createCustomer } from '@holdfast/testkit/testData';
import type { ServiceName } from '@holdfast/testkit/testDatabase';
import { until } from '@holdfast/testkit/until';
import { setupOf } from '../operations/versions/setupOf.ts';

const root = resolve(import.meta.dirname, '../..');
const setupAt = (direct?: string): Pick<LaunchOptions, 'migrate' | 'setRoles' | 'seed'> => ({
  migrate: (url) => migrate(direct ?? url),
  setRoles: (url, passwords) => applyRoles(direct ?? url, passwords),
  seed: (options) => seed({ ...options, databaseUrl: direct ?? options.databaseUrl }),
});
const mainIn = (tree: string) => (name: string) => join(tree, 'services', name, 'src/main.ts');

export type Fleet = Awaited<ReturnType<typeof startFleet>>;

/**
 * Runs what `npm start` runs: every service, Postgres and Redis, as processes that are restarted when they die. `more` adds
 * environment variables. The services (except the sandbox) and the schema are those of `tree`.
 */
export async function startFleet(home: string, more: Record<string, string> = {}, tree = root) {
  const keys = `k1:${randomBytes(32).toString('base64')}`;
  const environment = { ...ownEnvironment(), HOLDFAST_HOME: home, ENCRYPTION_KEYS: keys, ...more };
  const running: Running = { services: [] };
  const flags = { port: await servicePort(), ephemeral: false, help: false };
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  const mainOf = (name: string) => mainIn(name === 'sandbox' ? root : tree)(name);
  // A pooler has no sessions for the setup.
  const direct = more['DATABASE_DIRECT_URL'];
  await launch(
    { ...(tree === root ? setupAt(direct) : setupOf(tree)), root, flags, env: environment, say, mainOf },
    running,
    new AbortController().signal,
  );
  const state = readJson(join(home, 'local.json')) as LocalState;
  const db = openDatabase({ url: direct ?? state.database_url, poolSize: 4, applicationName: 'test' });
  const box = createSealedBox(encryptionKeys.parse(keys));

  function find(name: string) {
    const service = running.services.find((one) => one.name === name);
    if (!service) throw new Error(`no service ${name}`);
    return service;
  }
  /** Sends a signal to the process of a service, or of `postgres` or `redis`. */
  function signal(name: string, what: NodeJS.Signals): void {
    const pid = name === 'postgres' || name === 'redis' ? running[name]?.pid() : find(name).pid();
    if (!pid) throw new Error(`${name} does not run`);
    process.kill(pid, what);
  }

  return {
    db,
    said,
    redisUrl: state.redis_url,
    baseUrl: state.base_url,
    /** The admin API of the first gateway. */
    admin: apiClient(state.admin_url, state.admin_token),
    newCustomer: (balance = '100') => createCustomer({ db, box, baseUrl: state.base_url, balance }),
    signal,
    pid: (name: string) => find(name).pid(),
    isReady: (name: string) => find(name).isReady(),
    /** The total number of exits of all services. */
    deaths: () => running.services.reduce((sum, service) => sum + service.deaths(), 0),
    /** Sends kill -9 and waits until the next process of the service is ready. */
    async kill(name: string) {
      const service = find(name);
      const killed = service.pid();
      signal(name, 'SIGKILL');
      await until(
        `${name} runs again`,
        async () => service.pid() !== killed && (await service.isReady()),
        60_000,
      );
    },
    /** Kills a server, as a crash does; the supervisor restarts it. */
    async crash(name: 'postgres' | 'redis') {
      const killed = running[name]?.pid();
      signal(name, name === 'postgres' ? 'SIGQUIT' : 'SIGKILL');
      await until(`${name} runs again`, () => running[name]?.pid() !== killed, 60_000);
    },
    /** The first step of an upgrade: runs the setup of this tree, beside the load. */
    async setUp() {
      const passwords = rolePasswords(loadSecrets(join(home, 'secrets.json')));
      const env = {
        ...environmentOf(find('dispatcher').pid()),
        DATABASE_URL: state.database_url,
        GATEWAY_DB_PASSWORD: passwords.holdfast_gateway,
        DISPATCHER_DB_PASSWORD: passwords.holdfast_dispatcher,
        LEDGER_DB_PASSWORD: passwords.holdfast_ledger,
        WEBHOOK_SENDER_DB_PASSWORD: passwords.holdfast_webhook_sender,
      };
      await outputOf(process.execPath, [join(root, 'packages/setup/src/main.ts')], { env });
    },
    /** Adds another instance of a service, always of this tree; returns its URL, if it listens. */
    async addCopy(name: ServiceName): Promise<string> {
      const [metricsPort, port, adminPort] = await Promise.all([servicePort(), servicePort(), servicePort()]);
      const ports = { METRICS_PORT: String(metricsPort), PORT: String(port), ADMIN_PORT: String(adminPort) };
      const env = { ...environmentOf(find(name).pid()), ...ports };
      const copy = running.services.filter((one) => one.name.startsWith(name)).length + 1;
      const program = { name: `${name}-${copy}`, main: mainIn(root)(name), metricsPort, env };
      const service = startService(program, home, { say, onPid() {} });
      running.services.push(service);
      await untilReady(service, new AbortController().signal);
      return `http://127.0.0.1:${port}`;
    },
    /** The `/metrics` of a service, or of another instance (`ledger-2`). */
    metricsOf: async (name: string) => await (await fetch(find(name).metricsUrl)).text(),
    async close() {
      await db.close();
      await shutDown(running);
    },
  };
}

function ownEnvironment(): NodeJS.ProcessEnv {
  const { DATABASE_URL: _database, REDIS_URL: _redis, PUBLIC_URL: _public, ...env } = process.env;
  return {
    ...env,
    LOG_LEVEL: 'warn',
    EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_RETRY_DELAYS_S: '0,1,1,1,1',
    RATE_LIMIT_CREATE_PER_MINUTE: '1000000',
    RATE_LIMIT_PER_MINUTE: '1000000',
  };
}

/** The arguments and environment of a process. */
function environmentOf(pid: number | undefined): NodeJS.ProcessEnv {
  const lines = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  return Object.fromEntries(
    lines
      .filter(Boolean)
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}
