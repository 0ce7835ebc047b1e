import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { openDatabase } from '@holdfast/db/client';
import { cert, key } from '@holdfast/egress/testCertificate';
import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { testFolder } from '@holdfast/testkit/testFolder';
import { testRedisUrl } from '@holdfast/testkit/testRedis';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { holdfast } from '../testing/holdfast.ts';
import { startOperated } from '../testing/operator.ts';
import type { Finding } from './finding.ts';

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

/** Speaks as OpenAI: knows one key. */
const provider: RequestListener = (request, response) => {
  const isKnown = request.url === '/v1/models' && request.headers.authorization === 'Bearer right';
  response.writeHead(isKnown ? 200 : 401).end('{}');
};

async function doctor(env: NodeJS.ProcessEnv) {
  const { code, stdout } = await holdfast(['doctor', '--json'], env);
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] };
  const of = (check: string) => findings.filter((one) => one.check === check);
  return { code, ok, findings, of };
}

describe('holdfast doctor', () => {
  it('finds a system that is well, well', async () => {
    const files = { FILE_DISK_PATH: testFolder('files'), FILE_URL_SECRET: 'a secret for the doctor' };
    const operated = await startOperated(files);
    try {
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
      expect(findings.filter(({ state }) => state === 'fail')).toEqual([]);
      expect([code, ok]).toEqual([0, true]);
      const well = [
        'database',
        'migrations',
        'roles and rights',
        'partitions',
        'redis',
        'memory of redis',
        'store',
      ];
      const seen = [
        'signed URLs of the store',
        'public URL',
        'admin API',
        'service ledger',
        'provider openai',
        'sweeps',
      ];
      for (const check of [...well, ...seen]) expect(of(check)).toMatchObject([{ check, state: 'ok' }]);
      expect(of('provider openai')[0]?.found).toContain('takes the key');
      const told = await holdfast(['doctor'], env);
      expect(told.stdout).toMatch(/^ok {7}database: PostgreSQL \d+[^]+ 0 wrong, 0 not looked at\.\n$/);
    } finally {
      await operated.stack.close();
    }
  });

  it('says what is wrong, and how to mend it', async () => {
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
      createServer((_request, response) => response.writeHead(503).end('redis: away')),
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
    const wrong = (check: string, found: string) =>
      expect(of(check)).toContainEqual({
        state: 'fail',
        check,
        found: expect.stringContaining(found),
        mend: expect.any(String),
      });
    wrong('migrations', `missing: ${rows[0]?.name}`);
    wrong('roles and rights', 'missing: holdfast_dispatcher: SELECT on models');
    wrong('roles and rights', 'too much: holdfast_gateway: UPDATE (cost) on executions');
    wrong('sweeps', '1 outcomes have not been settled, the oldest for 60 min');
    wrong('audit of the books', 'broken: held is the sum of open holds');
    wrong('provider openai', 'refuses the key (401)');
    expect(of('provider openai')).toMatchObject([{ mend: expect.stringContaining('set OPENAI_API_KEY') }]);
    wrong('store', 'FILE_URL_SECRET');
    wrong('service ledger', 'redis: away');
    wrong('certificate', 'clients refuse it');
    wrong('admin API', 'there is no admin API');
    wrong('models', '0 of 0 are offered');
  });

  it('tells that a public URL of https does not speak TLS', async () => {
    const plain = await listen(createServer((_request, response) => response.end('hello')));
    const { of } = await doctor({ PUBLIC_URL: `https://127.0.0.1:${plain}` });
    expect(of('certificate')).toMatchObject([
      { state: 'fail', found: `https://127.0.0.1:${plain} does not speak TLS: ERR_SSL_WRONG_VERSION_NUMBER` },
    ]);
  });

  it('looks at the rest when the database is away, and shows no password', async () => {
    const DATABASE_URL = 'postgresql://somebody:opensesame@127.0.0.1:1/holdfast';
    const { code, stdout } = await holdfast(['doctor'], { DATABASE_URL, REDIS_URL: testRedisUrl() });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^FAIL {5}database: [^\n]*ECONNREFUSED[^\n]*\n {9}→ is PostgreSQL up/);
    expect(stdout).toMatch(/\nskipped {2}migrations: the database is not there/);
    expect(stdout).toMatch(/\nok {7}redis: /);
    expect(stdout).not.toContain('opensesame');
  });
});
