import { execFile, fork, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testFolder } from './testFolder.ts';

const root = resolve(import.meta.dirname, '../../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** The fenced blocks of a language in the section under a heading, in order. */
function blocks(heading: string, language: string): string[] {
  const section = readme.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, text]) => text ?? '',
  );
}

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

(hasCurl ? describe : describe.skip)("the README's walk, pasted into bash", () => {
  const home = testFolder('readme');
  let holdfast: Awaited<ReturnType<typeof startHoldfast>> | undefined;
  let output = '';

  beforeAll(async () => {
    holdfast = await startHoldfast(home);
    const env = {
      ...process.env,
      HOLDFAST_HOME: home,
      TMPDIR: home,
      RECEIVER_PORT: String(await freePort()),
    };
    const walk = blocks('A walk with curl', 'bash').join('\n');
    const { stdout } = await promisify(execFile)('bash', ['-c', walk], { cwd: root, env, timeout: 60_000 });
    output = stdout;
  }, 120_000);

  afterAll(async () => {
    if (!holdfast || holdfast.exitCode !== null) return;
    holdfast.kill('SIGTERM');
    await once(holdfast, 'exit');
  }, 20_000);

  it('makes a thumbnail of an uploaded picture', () => {
    expect(output).toMatch(
      /"status":"COMPLETED","output":\{"images":\[\{"file_id":"file_[^"]+","format":"webp","width":320,"height":240\}\]\}/,
    );
  });

  it('hears of every ending by a webhook with a right signature', () => {
    for (const ending of ['completed', 'failed', 'cancelled']) {
      expect(output).toMatch(new RegExp(`^execution\\.${ending} exec_\\S+ signature ok$`, 'm'));
    }
    expect(output).not.toContain('WRONG');
  });

  it('gets the original execution for a repeated idempotency key', () => {
    expect(output).toMatch(/^HTTP\/1\.1 202 Accepted\s+Idempotent-Replayed: true\s+\{"id":"exec_/m);
  });

  it('sees why a run failed, and a cancelled one released', () => {
    expect(output).toContain('"error":{"code":"CONTENT_MODERATION_REJECTED"');
    expect(output).toContain('"status":"CANCELLED"');
  });

  it('pays for the two pictures alone', () => {
    const balances = [...output.matchAll(/^\{"available":"(\S+?)","held":"(\S+?)"/gm)].map((found) =>
      found.slice(1),
    );
    expect(balances).toEqual([
      ['100.00', '0.00'],
      ['99.94', '0.00'],
      ['99.94', '0.00'],
    ]);
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
