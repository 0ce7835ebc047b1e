import { fork, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { outputOf } from '@holdfast/testkit/command';
import { testFolder } from '@holdfast/testkit/testFolder';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { blocks, runTutorial, tutorialChecks } from './tutorial.ts';

const root = resolve(import.meta.dirname, '../..');
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

/** Runs `npm start` with the settings of the tutorial, on its own port and in its own folder. */
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

// The tests must also run on a machine without curl.
const hasCurl = spawnSync('curl', ['--version']).status === 0;

(hasCurl ? describe : describe.skip)('pasted into bash (skipped without curl),', () => {
  const home = testFolder('tutorial');
  let holdfast: Awaited<ReturnType<typeof startHoldfast>> | undefined;
  let output = '';
  let quickstartOutput = '';

  beforeAll(async () => {
    holdfast = await startHoldfast(home);
    const { HOLDFAST_URL: _url, HOLDFAST_API_KEY: _key, ...own } = process.env;
    const env = {
      ...own,
      HOLDFAST_HOME: home,
      TMPDIR: home,
      RECEIVER_PORT: String(await freePort()),
    };
    output = await runTutorial(root, env);
    const quickstart = blocks('README.md', 'bash')
      .join('\n')
      .replace(/^export .*$/m, '');
    const { base_url, api_key } = JSON.parse(readFileSync(join(home, 'local.json'), 'utf8')) as Record<
      string,
      string
    >;
    const access = { HOLDFAST_URL: base_url, HOLDFAST_API_KEY: api_key };
    quickstartOutput = await outputOf('bash', ['-c', quickstart], {
      cwd: home,
      env: { ...env, ...access },
      timeoutMs: 60_000,
    });
  }, 120_000);

  afterAll(async () => {
    if (!holdfast || holdfast.exitCode !== null) return;
    holdfast.kill('SIGTERM');
    await once(holdfast, 'exit');
  }, 20_000);

  it.each(Object.entries(tutorialChecks))('the tutorial %s', (_name, check) => {
    expect(() => check(output)).not.toThrow();
  });

  it('the quickstart of the README prints the result of its execution', () => {
    expect(quickstartOutput).toMatch(/"status":"COMPLETED","output":\{"text":/);
  });
});

describe('the signature check in the README', () => {
  it('accepts an authentic webhook and refuses a changed or old one', async () => {
    const [snippet = ''] = blocks('README.md', 'js');
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
