import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { servicePort } from '@holdfast/local/launch/ports';
import { type OutageKind, openBreakableProxy } from '@holdfast/testkit/breakableProxy';
import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { testFolder } from '@holdfast/testkit/testFolder';
import { testRedisUrl } from '@holdfast/testkit/testRedis';
import { until } from '@holdfast/testkit/until';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const root = resolve(import.meta.dirname, '../..');
const names = ['api-gateway', 'dispatcher', 'ledger', 'webhook-sender'];
/** What a scheduler gives a container between SIGTERM and SIGKILL. */
const graceMs = 30_000;
/** Less than work in progress is given, and more than a busy machine needs. */
const atOnceMs = 15_000;

type Started = { name: string; child: ChildProcess; metricsPort: number; said: string[] };
let servers: { postgres: Awaited<ReturnType<typeof openBreakableProxy>>; redis: typeof servers.postgres };
let drop: () => Promise<void>;
let started: Started[];

beforeEach(async () => {
  const database = await createTestDatabase();
  drop = database.drop;
  servers = {
    postgres: await openBreakableProxy(database.url),
    redis: await openBreakableProxy(testRedisUrl()),
  };
  started = await Promise.all(names.map(start));
  await Promise.all(
    started.map(({ name, metricsPort }) => until(`${name} is ready`, () => isReady(metricsPort))),
  );
});

afterEach(async () => {
  for (const { child } of started) child.kill('SIGKILL');
  await Promise.all([servers.postgres.close(), servers.redis.close()]);
  await drop();
});

async function start(name: string): Promise<Started> {
  const metricsPort = await servicePort();
  const env = {
    ...process.env,
    DATABASE_URL: servers.postgres.url,
    REDIS_URL: servers.redis.url,
    LISTEN_HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    METRICS_PORT: String(metricsPort),
    PORT: '0',
    ADMIN_PORT: '0',
    ADMIN_TOKEN: 'an-admin-token-for-tests',
    PUBLIC_URL: 'http://127.0.0.1:1',
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    FILE_DISK_PATH: testFolder('files'),
    FILE_URL_SECRET: 'a secret for the tests',
    NODE_OPTIONS: '',
  };
  const args = ['--disable-warning=ExperimentalWarning', join(root, 'services', name, 'src/main.ts')];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const said: string[] = [];
  child.stdout.on('data', (line) => said.push(String(line)));
  return { name, metricsPort, child, said };
}

const isReady = (port: number) =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

/** They are stopped once they wait. An idle gateway does not notice that Redis is unavailable. */
async function untilInTrouble({ name, metricsPort, said }: Started, server: 'postgres' | 'redis') {
  if (server === 'postgres') await until(`${name} is not ready`, async () => !(await isReady(metricsPort)));
  else if (name !== 'api-gateway') await until(`${name} complains`, () => said.length > 0);
}

/** How long each service takes to end after the signal. */
async function stopAll(): Promise<Record<string, number>> {
  const sentAtMs = performance.now();
  const ended = started.map(async ({ name, child }) => {
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await exit;
    return [name, performance.now() - sentAtMs] as const;
  });
  return Object.fromEntries(await Promise.all(ended));
}

const outages = (['postgres', 'redis'] as const).flatMap((server) =>
  (['gone', 'silent'] as const).map((kind): [typeof server, OutageKind] => [server, kind]),
);

describe('every service stops within the grace period of a scheduler', () => {
  it('at once when all its dependencies work', async () => {
    const tookMs = await stopAll();
    expect(Object.entries(tookMs).filter(([, ms]) => ms > atOnceMs)).toEqual([]);
  });

  it.each(outages)('when %s is %s', async (server, kind) => {
    servers[server].begin(kind);
    await Promise.all(started.map((one) => untilInTrouble(one, server)));
    const tookMs = await stopAll();
    expect(Object.entries(tookMs).filter(([, ms]) => ms > graceMs)).toEqual([]);
  });
});
