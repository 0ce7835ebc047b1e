import { fork, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testFolder } from './testFolder.ts';
import { blocks, promisesOfTheWalk, readme, walk } from './walk.ts';

const root = resolve(import.meta.dirname, '../../..');
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

/** `npm start` as the walk asks for it, on a port and in a folder of its own. */
async function startHoldfast(home: string) {
  const { DATABASE_URL: _database, REDIS_URL: _redis, NODE_OPTIONS: _options, ...env } = process.env;
  const openings = { EGRESS_ALLOW_CIDRS: '127.0.0.0/8,::1/128', WEBHOOK_ALLOW_HTTP: 'true' };
  const args = ['--ephemeral', '--port', String(await freePort())];
  const child = fork(join(root, 'packages/local/src/start.ts'), args, {
    env: { ...env, ...openings, HOLDFAST_HOME: home },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    silent: true,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text) => void (said += String(text)));
  while (!existsSync(join(home, 'local.json'))) {
    if (child.exitCode !== null) throw new Error(said);
    await delay(50);
  }
  return child;
}

// A machine needs no curl to run the tests.
const hasCurl = spawnSync('curl', ['--version']).status === 0;

(hasCurl ? describe : describe.skip)("the README's walk, pasted into bash (skipped without curl)", () => {
  const home = testFolder('readme');
  let holdfast: Awaited<ReturnType<typeof startHoldfast>> | undefined;
  let output = '';

  beforeAll(async () => {
    holdfast = await startHoldfast(home);
    const { BASE_URL: _base, API_KEY: _key, ...own } = process.env;
    const env = {
      ...own,
      HOLDFAST_HOME: home,
      TMPDIR: home,
      RECEIVER_PORT: String(await freePort()),
    };
    output = await walk(root, env);
  }, 120_000);

  afterAll(async () => {
    if (!holdfast || holdfast.exitCode !== null) return;
    holdfast.kill('SIGTERM');
    await once(holdfast, 'exit');
  }, 20_000);

  it.each(Object.entries(promisesOfTheWalk))('%s', (_name, holds) => {
    expect(() => holds(output)).not.toThrow();
  });
});

describe('what the README says besides', () => {
  it('lists every endpoint of the OpenAPI document and no other', () => {
    const { paths } = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8')) as {
      paths: Record<string, Record<string, unknown>>;
    };
    const offered = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const listed = [...readme.matchAll(/^\| (GET|POST|PATCH|DELETE) \| `([^`]+)`/gm)].map(
      ([, method, path]) => `${method} ${path}`,
    );
    expect(listed.toSorted()).toEqual(offered.toSorted());
  });

  it('shows a signature check that takes what is authentic and refuses what was changed, or is old', async () => {
    const [snippet = ''] = blocks('Events and signatures', 'js');
    const { isAuthentic } = (await import(`data:text/javascript,${encodeURIComponent(snippet)}`)) as {
      isAuthentic(body: string, headers: Record<string, string>, secret: string): boolean;
    };
    const headersAt = (timestamp: string) => ({
      'x-signature-timestamp': timestamp,
      'x-signature': createHmac('sha256', 'whsec_key').update(`${timestamp}.{"a":1}`).digest('hex'),
    });
    const now = Math.floor(Date.now() / 1000);
    expect(isAuthentic('{"a":1}', headersAt(String(now)), 'whsec_key')).toBe(true);
    expect(isAuthentic('{"a":2}', headersAt(String(now)), 'whsec_key')).toBe(false);
    expect(isAuthentic('{"a":1}', headersAt(String(now)), 'whsec_other')).toBe(false);
    expect(isAuthentic('{"a":1}', headersAt(String(now - 301)), 'whsec_key')).toBe(false);
    expect(isAuthentic('{"a":1}', {}, 'whsec_key')).toBe(false);
  });
});
