import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import type { Finding } from '@holdfast/cli/doctor/findings';
import { holdfast } from '@holdfast/cli/testing/holdfast';
import { openDatabase } from '@holdfast/db/client';
import { databaseUrl, dropDatabase } from '@holdfast/db/databases';
import { applyModels } from '@holdfast/db/models';
import { modelDefinition } from '@holdfast/domain/modelDefinition';
import { cert, key } from '@holdfast/egress/testing/servers';
import { runCommand } from '@holdfast/testkit/command';
import { createBareDatabase, createTestDatabase, openTestPool } from '@holdfast/testkit/testDatabase';
import { testFolder } from '@holdfast/testkit/testFolder';
import { testRedisUrl } from '@holdfast/testkit/testRedis';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startOperated } from '../stack/operator.ts';

const root = resolve(import.meta.dirname, '../..');
const doctorFolder = join(root, 'packages/cli/src/doctor');

type Reported = Omit<Finding, 'runbook'> & { runbook: string | null };

let servers: Server[];

beforeEach(() => {
  servers = [];
});
afterEach(async () => {
  for (const server of servers) server.closeAllConnections();
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Speaks as OpenAI: knows one key, and one model. */
const provider: RequestListener = (request, response) => {
  const isKnown = request.url === '/v1/models' && request.headers.authorization === 'Bearer right';
  response.setHeader('content-type', 'application/json');
  response.writeHead(isKnown ? 200 : 401).end(isKnown ? '{"data":[{"id":"gpt-4.1"}]}' : '{}');
};

/** Like LiteLLM without a database, it accepts only its own key. */
const proxy: RequestListener = (_request, response) => {
  response.setHeader('content-type', 'application/json');
  response
    .writeHead(400)
    .end('{"error":{"message":"No connected db.","type":"no_db_connection","code":"400"}}');
};

async function doctor(env: NodeJS.ProcessEnv) {
  const { code, stdout } = await holdfast(['doctor', '--json'], env);
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Reported[] };
  const of = (check: string) => findings.filter((one) => one.check === check);
  return { code, ok, findings, of };
}

describe('holdfast doctor', () => {
  it('finds no error in a healthy system', async () => {
    const files = { FILE_DISK_PATH: testFolder('files'), FILE_URL_SECRET: 'a secret for the doctor' };
    const operated = await startOperated(files);
    const OPENAI_BASE_URL = `http://127.0.0.1:${await listen(createServer(provider))}`;
    const ready = await listen(createServer((_request, response) => response.end('{}')));
    const env = {
      ...operated.env,
      ...files,
      PUBLIC_URL: operated.stack.baseUrl,
      OPENAI_BASE_URL,
      OPENAI_API_KEY: 'right',
      HOLDFAST_HEALTH_URLS: `ledger=http://127.0.0.1:${ready}`,
    };
    const { code, ok, findings, of } = await doctor(env);
    expect(findings.filter(({ state }) => state === 'error')).toEqual([]);
    expect(findings.every(({ state, runbook }) => state === 'warning' || runbook === null)).toBe(true);
    expect([code, ok]).toEqual([0, true]);
    const inside = [
      'database',
      'locale of the database',
      'migrations',
      'roles and rights',
      'partitions',
      'redis',
      'memory of redis',
      'store',
      'disk',
    ];
    const around = ['signed URLs of the store', 'public URL', 'admin API', 'service ledger', 'sweeps'];
    for (const check of [...inside, ...around]) expect(of(check)).toMatchObject([{ check, state: 'ok' }]);
    expect(of('provider openai')).toMatchObject([
      { state: 'ok', found: expect.stringContaining('accepts the key') },
      { state: 'warning', found: expect.stringMatching(/ does not list .*\bgpt-4o-mini\b/) },
    ]);
    expect(of('provider openai')[1]?.found).not.toMatch(/ gpt-4\.1(,|$)/);
    const result = await holdfast(['doctor'], env);
    expect(result.stdout).toMatch(/^ok {7}database: PostgreSQL \d+[^]+ 0 errors, 0 skipped\.\n$/);
  });

  it('reports each problem with a fix and its runbook', async () => {
    const database = await createTestDatabase();
    const db = openDatabase({ url: database.url, poolSize: 1, applicationName: 'test' });
    await db.pool.query('REVOKE SELECT ON models FROM holdfast_dispatcher');
    await db.pool.query('GRANT UPDATE (cost) ON executions TO holdfast_gateway');
    const { rows } = await db.pool.query<{ name: string }>(
      `DELETE FROM _prisma_migrations WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)
       RETURNING migration_name AS name`,
    );
    await db.pool.query(
      `INSERT INTO attempts (id, execution_id, number, provider, state, token, outcome, finished_at)
       VALUES ('att_1', 'exec_1', 1, 'p', 'succeeded', 'token', '{"ok":true}', now() - interval '1 hour')`,
    );
    await db.pool.query(
      `INSERT INTO ledger_audits (finished_at, breaches) VALUES (now(), '{"held is the sum of open holds": 1}')`,
    );
    await db.close();
    const openai = await listen(createServer(provider));
    const unwell = await listen(
      createServer((_request, response) => response.writeHead(503).end('redis: unavailable')),
    );
    const tls = await listen(createTlsServer({ cert, key }, (_request, response) => response.end('hello')));
    const { code, ok, of } = await doctor({
      DATABASE_URL: database.url,
      REDIS_URL: testRedisUrl(),
      OPENAI_BASE_URL: `http://127.0.0.1:${openai}/v1`,
      OPENAI_API_KEY: 'wrong',
      FILE_STORE: 'disk',
      FILE_DISK_PATH: '/nonexistent/files',
      HOLDFAST_HEALTH_URLS: `ledger=http://127.0.0.1:${unwell}`,
      PUBLIC_URL: `https://127.0.0.1:${tls}`,
    });
    await database.drop();
    expect([code, ok]).toEqual([1, false]);
    const wrong = (check: string, found: string, runbook: string) =>
      expect(of(check)).toContainEqual({
        state: 'error',
        check,
        found: expect.stringContaining(found),
        fix: expect.any(String),
        runbook: `docs/operate/alerts/${runbook}`,
      });
    wrong('migrations', `missing: ${rows[0]?.name}`, 'doctor.md#migrations');
    wrong('roles and rights', 'missing: holdfast_dispatcher: SELECT on models', 'doctor.md#roles-and-rights');
    wrong(
      'roles and rights',
      'too much: holdfast_gateway: UPDATE (cost) on executions',
      'doctor.md#roles-and-rights',
    );
    wrong('sweeps', '1 outcomes are not settled, the oldest for 60 min', 'HoldfastOutcomesUnsettled.md');
    wrong('ledger audit', 'broken: held is the sum of open holds', 'HoldfastLedgerBreach.md');
    wrong('provider openai', 'refuses the key: 401', 'HoldfastProviderNeedsOperator.md');
    expect(of('provider openai')).toMatchObject([{ fix: expect.stringContaining('set OPENAI_API_KEY') }]);
    wrong('store', 'FILE_URL_SECRET', 'doctor.md#store');
    wrong('service ledger', 'redis: unavailable', 'HoldfastServiceDown.md');
    wrong('certificate', 'clients refuse it', 'doctor.md#public-url');
    wrong('admin API', 'no admin API is known', 'doctor.md#admin-api');
    wrong('models', '0 of 0 are offered', 'doctor.md#models');
  });

  const byLanguage = {
    state: 'warning',
    found: 'text is compared by ICU, which takes PostgreSQL more CPU',
    fix: expect.stringContaining('restore a backup'),
    runbook: 'docs/operate/alerts/doctor.md#locale-of-the-database',
  };
  const byBytes = { state: 'ok', found: 'text is compared by bytes', fix: null, runbook: null };

  it.each([
    ["LOCALE_PROVIDER icu ICU_LOCALE 'en-US'", byLanguage],
    ["LOCALE_PROVIDER libc LC_COLLATE 'C.UTF-8'", byBytes],
  ])('says how a database with %s compares text', async (options, expected) => {
    const bare = await createBareDatabase();
    const pool = openTestPool(bare.url);
    const name = `locale_${randomBytes(8).toString('hex')}`;
    try {
      await pool.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' ${options}`);
      const { of } = await doctor({ DATABASE_URL: databaseUrl(bare.url, name) });
      expect(of('locale of the database')).toEqual([{ check: 'locale of the database', ...expected }]);
    } finally {
      await dropDatabase(bare.url, name);
      await pool.end();
      await bare.drop();
    }
  });

  it('reports the refusal of a key in the words of the provider', async () => {
    const database = await createTestDatabase();
    const db = openDatabase({ url: database.url, poolSize: 1, applicationName: 'test' });
    const model = {
      slug: 'writer',
      provider: { adapter: 'openai', connection: 'proxy', model: 'writer' },
      input_schema: { type: 'object' },
      price: { per_run: '0.01' },
      output: { kind: 'text' },
    };
    await applyModels(db, [modelDefinition.parse(model)]);
    await db.close();
    const { of } = await doctor({
      DATABASE_URL: database.url,
      PROXY_BASE_URL: `http://127.0.0.1:${await listen(createServer(proxy))}`,
      PROXY_API_KEY: 'sk-wrong-key',
    });
    await database.drop();
    expect(of('provider proxy')).toMatchObject([
      {
        state: 'error',
        found: expect.stringMatching(/ does not accept a harmless request: 400 .*No connected db\./),
        fix: expect.stringContaining('set PROXY_API_KEY'),
        runbook: 'docs/operate/alerts/HoldfastProviderNeedsOperator.md',
      },
    ]);
  });

  it('reports a public https URL whose port does not speak TLS', async () => {
    const plain = await listen(createServer((_request, response) => response.end('hello')));
    const { of } = await doctor({ PUBLIC_URL: `https://127.0.0.1:${plain}` });
    expect(of('certificate')).toMatchObject([
      {
        state: 'error',
        found: `https://127.0.0.1:${plain} does not speak TLS: ERR_SSL_WRONG_VERSION_NUMBER`,
      },
    ]);
  });

  it('checks the rest when the database is unavailable, and shows no password', async () => {
    const DATABASE_URL = 'postgresql://user:opensesame@127.0.0.1:1/holdfast';
    const { code, stdout } = await holdfast(['doctor'], { DATABASE_URL, REDIS_URL: testRedisUrl() });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^error {4}database: [^\n]*ECONNREFUSED[^\n]*\n {9}fix: is PostgreSQL up[^\n]*\n {9}runbook: docs\/operate\/alerts\/HoldfastDatabaseUnreachable\.md\n/,
    );
    expect(stdout).toMatch(/\nskipped {2}migrations: the database is unavailable\n/);
    expect(stdout).toMatch(/\nok {7}redis: /);
    expect(stdout).not.toContain('opensesame');
  });

  it("skips the host's own name in a container, where it means the container", async () => {
    const PUBLIC_URL = 'http://localhost:1';
    const inside = await doctor({ PUBLIC_URL, HOLDFAST_IN_CONTAINER: 'true' });
    expect(inside.of('public URL')).toMatchObject([
      { state: 'skipped', found: expect.stringContaining('try it on the host') },
    ]);
    const outside = await doctor({ PUBLIC_URL });
    expect(outside.of('public URL')).toMatchObject([
      { state: 'error', found: expect.stringContaining('cannot be reached from here') },
    ]);
  });

  it('uses colours on a terminal only, and neither with NO_COLOR nor in a CI job', async () => {
    const env = { DATABASE_URL: 'postgresql://user@127.0.0.1:1/holdfast' };
    // Only the path comes from this process: Node's choice of colours depends on the CI service, the terminal and more.
    const onTerminal = async (settings: NodeJS.ProcessEnv) => {
      const command = `${process.execPath} --disable-warning=ExperimentalWarning packages/cli/src/main.mjs doctor`;
      const { stdout } = await runCommand('script', ['-qec', command, '/dev/null'], {
        cwd: root,
        env: { PATH: process.env.PATH, HOLDFAST_HOME: '/nonexistent', ...env, ...settings },
      });
      return stdout;
    };
    const coloured = '\u001b[31merror\u001b[39m    database: ';
    const plain = /^error {4}database: /;
    const TERM = 'xterm-256color';
    expect(await onTerminal({ TERM })).toContain(coloured);
    expect(await onTerminal({ TERM, NO_COLOR: '1' })).toMatch(plain);
    expect(await onTerminal({ TERM, CI: 'true' })).toMatch(plain);
    expect(await onTerminal({ TERM: 'dumb' })).toMatch(plain);
    expect((await holdfast(['doctor'], { ...env, TERM })).stdout).toMatch(plain);
    expect((await holdfast(['doctor'], { ...env, FORCE_COLOR: '1' })).stdout).toContain(coloured);
  });

  it('refers to existing sections of existing runbooks', () => {
    const sources = [
      'findings.ts',
      ...readdirSync(join(doctorFolder, 'checks')).map((file) => `checks/${file}`),
    ];
    const named = sources.flatMap((file) => [
      ...readFileSync(join(doctorFolder, file), 'utf8').matchAll(/runbook: '([^']+)'/g),
    ]);
    expect(named.length).toBeGreaterThan(15);
    for (const [, runbook = ''] of named) {
      const [page, section] = runbook.split('#');
      const text = readFileSync(join(root, `docs/operate/alerts/${page}.md`), 'utf8');
      const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, head = '']) =>
        head.toLowerCase().replaceAll(' ', '-'),
      );
      if (section !== undefined) expect(sections).toContain(section);
    }
  });
});
