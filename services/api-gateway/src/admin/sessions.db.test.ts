import { removeEnded } from '@holdfast/db/operatorSessions';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import request from 'supertest';
import { adminEndpoints, createAdminApp } from '../adminApp.ts';
import { gatewayOfTests, openTestGateway, operators, withOperators } from '../testing/testGateway.ts';

const { ann, sam, val } = operators;
const settings = { ...withOperators, TRUST_PROXY: '1', ENVIRONMENT_NAME: 'staging' };
const host = 'console.test:8081';
const fromConsole = { Host: host, Origin: `http://${host}`, 'X-Holdfast-Console': '1' };

const gateway = await gatewayOfTests(settings);
const admin = createAdminApp(gateway.context);

beforeEach(async () => {
  await gateway.context.db.pool.query('TRUNCATE sign_in_failures');
});

type Method = 'get' | 'post' | 'delete' | 'patch';
const ask = (method: Method, path: string, headers: object = {}, app = admin) => {
  const client = request(app);
  return client[method](`/admin/v1${path}`).set({ ...fromConsole, ...headers });
};
const signIn = (token: string, headers: object = {}) =>
  ask('post', '/session', { 'X-Forwarded-For': '203.0.113.9', ...headers }).send({ token });
const cookieOf = ({ headers }: request.Response): string =>
  String(headers['set-cookie']?.[0]).split(';')[0] ?? '';
const signedIn = async (token: string): Promise<string> => cookieOf(await signIn(token).expect(201));
const newLink = async (): Promise<string> =>
  (await ask('post', '/sign-in-links', { Authorization: `Bearer ${ann}` }).expect(201)).body.token;

describe('signing in', () => {
  it('exchanges an admin token for a cookie that scripts cannot read', async () => {
    const response = await signIn(ann).expect(201);
    expect(response.body).toMatchObject({ actor: 'ann', role: 'admin', address: '203.0.113.9' });
    expect(response.headers['set-cookie']).toEqual([
      expect.stringMatching(/^holdfast_session=ses_[\w-]{43}; Path=\/admin\/v1; HttpOnly; SameSite=Strict$/),
    ]);
    const { body } = await ask('get', '/session', { Cookie: cookieOf(response) }).expect(200);
    const environment = { name: 'staging', color: 'amber' };
    expect(body).toEqual({ id: response.body.id, actor: 'ann', role: 'admin', environment });
    const methods = await ask('get', '/sign-in-methods').expect(200);
    expect(methods.body).toEqual({ oidc: null, environment });
  });

  it('binds the cookie to https and to the host where the console was opened with https', async () => {
    const response = await signIn(ann, { Origin: `https://${host}` }).expect(201);
    expect(response.headers['set-cookie']?.[0]).toMatch(
      /^__Host-holdfast_session=ses_[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
    );
    await ask('get', '/session', { Cookie: cookieOf(response) }).expect(200);
  });

  it('stores neither the cookie nor the token', async () => {
    const cookie = await signedIn(ann);
    const link = await newLink();
    const tables = ['operator_sessions', 'sign_in_links', 'admin_actions'];
    for (const table of tables) {
      const { rows } = await gateway.context.db.pool.query(`SELECT * FROM ${table}`);
      for (const secret of [cookie.split('=')[1] ?? '', link, ann])
        expect(JSON.stringify(rows)).not.toContain(secret);
    }
  });

  it('is recorded under the name of the operator, and so is what the session changes', async () => {
    const cookie = await signedIn(ann);
    await ask('post', '/organizations', { Cookie: cookie }).send({ name: 'Acme' }).expect(201);
    const { body } = await ask('get', '/actions?actor=ann&limit=2', { Cookie: cookie }).expect(200);
    expect(body.data).toMatchObject([
      { action: 'POST /admin/v1/organizations', actor: 'ann', status: 201 },
      { action: 'POST /admin/v1/session', actor: 'ann', status: 201, target: expect.stringMatching(/^ses_/) },
    ]);
  });

  it('is logged with its address and, where it succeeds, its operator, and never with the token', async () => {
    const info = jest.spyOn(gateway.context.log, 'info');
    await signIn('unknown-token').expect(401);
    await signIn(ann).expect(201);
    const lines = info.mock.calls.map(([fields]) => fields);
    info.mockRestore();
    expect(lines).toMatchObject([
      { status: 401, operator: null, address: '203.0.113.9' },
      { status: 201, operator: 'ann', address: '203.0.113.9' },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/token/);
  });

  it('locks an address out after five failures, however many come at once', async () => {
    const wrong = await Promise.all(Array.from({ length: 12 }, () => signIn('unknown-token')));
    const statuses = wrong.map(({ status }) => status).sort((a, b) => a - b);
    expect(statuses).toEqual([...Array(5).fill(401), ...Array(7).fill(429)]);
    const refused = await signIn(ann).expect(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    await signIn(ann, { 'X-Forwarded-For': '198.51.100.7' }).expect(201);
    await gateway.context.db.pool.query(
      `UPDATE sign_in_failures SET first_at = now() - interval '16 minutes'`,
    );
    await signIn(ann).expect(201);
  });

  it('says that operators share an address when a proxy is in front of it and TRUST_PROXY is not set', async () => {
    const untrusting = await openTestGateway(gateway.servers, { ...settings, TRUST_PROXY: '0' });
    const app = createAdminApp(untrusting.context);
    const attempt = (headers: object) =>
      ask('post', '/session', headers, app).send({ token: 'unknown-token' });
    for (let i = 0; i < 5; i++) await attempt({}).expect(401);
    expect((await attempt({}).expect(429)).body.error.message).not.toContain('TRUST_PROXY');
    const { body } = await attempt({ 'X-Forwarded-For': '203.0.113.9' }).expect(429);
    expect(body.error.message).toContain('set TRUST_PROXY');
    await untrusting.close();
  });

  it('leaves nothing in the database some time after it has ended', async () => {
    const { pool } = gateway.context.db;
    await pool.query('TRUNCATE operator_sessions, sign_in_links');
    const open = await signedIn(ann);
    const [revoked, expired] = [await signedIn(sam), await signedIn(val)];
    await ask('delete', '/session', { Cookie: revoked }).expect(200);
    await pool.query(`UPDATE operator_sessions SET expires_at = now() WHERE actor = 'val'`);
    await newLink();
    await pool.query(`UPDATE sign_in_links SET expires_at = now()`);
    await signIn('unknown-token').expect(401);
    await pool.query(`UPDATE sign_in_failures SET first_at = now() - interval '16 minutes'`);
    await removeEnded(gateway.context.db, 15 * 60_000);
    const { rows } = await pool.query(
      'SELECT actor FROM operator_sessions UNION ALL SELECT actor FROM sign_in_links UNION ALL SELECT address FROM sign_in_failures',
    );
    expect(rows).toEqual([{ actor: 'ann' }]);
    await ask('get', '/session', { Cookie: open }).expect(200);
    await ask('get', '/session', { Cookie: expired }).expect(401);
  });

  it('forgets the failures of an address that signs in', async () => {
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 4; i++) await signIn('unknown-token').expect(401);
      await signIn(ann).expect(201);
    }
  });
});

describe('a sign-in link', () => {
  it('signs in once, even when it is used twice at once', async () => {
    const link = await newLink();
    const responses = await Promise.all([signIn(link), signIn(link), signIn(link)]);
    expect(responses.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 401, 401]);
  });

  it('expires', async () => {
    const link = await newLink();
    await gateway.context.db.pool.query('UPDATE sign_in_links SET expires_at = now()');
    await signIn(link).expect(401);
  });

  it('cannot be created by a session', async () => {
    await ask('post', '/sign-in-links', { Cookie: await signedIn(ann) }).expect(403);
  });
});

describe('a session', () => {
  it('changes nothing for a page of another origin or without the header of the console', async () => {
    const cookie = { Cookie: await signedIn(ann) };
    const refusals = [
      { Origin: 'http://evil.test' },
      { Origin: 'http://console.test:9999' },
      { Origin: 'null' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
    ];
    for (const headers of refusals) {
      await ask('post', '/organizations', { ...cookie, ...headers })
        .send({ name: 'Acme' })
        .expect(403);
      await ask('post', '/session', headers).send({ token: ann }).expect(403);
    }
    const { 'X-Holdfast-Console': _header, ...withoutHeader } = fromConsole;
    const { Origin: _origin, ...withoutOrigin } = fromConsole;
    for (const headers of [withoutHeader, withoutOrigin]) {
      await request(admin)
        .post('/admin/v1/organizations')
        .set({ ...headers, ...cookie })
        .send({ name: 'A' })
        .expect(403);
    }
    await ask('get', '/organizations', { ...cookie, 'Sec-Fetch-Site': 'cross-site' }).expect(403);
  });

  it('is of no use to pages of other origins: no path of the admin API allows a preflight request', async () => {
    for (const { path } of adminEndpoints) {
      const { headers } = await request(admin)
        .options(path.replaceAll(/\{\w+\}/g, 'x'))
        .set({ Host: host, Origin: 'http://evil.test', 'Access-Control-Request-Method': 'GET' });
      expect([path, headers['access-control-allow-origin']]).toEqual([path, undefined]);
    }
  });

  it('ends when its operator signs out', async () => {
    const cookie = { Cookie: await signedIn(ann) };
    const response = await ask('delete', '/session', cookie).expect(200);
    expect(response.headers['set-cookie']?.[0]).toMatch(/^holdfast_session=; .*Max-Age=0$/);
    await ask('get', '/session', cookie).expect(401);
  });

  it('ends when it expires', async () => {
    const cookie = { Cookie: await signedIn(ann) };
    await gateway.context.db.pool.query('UPDATE operator_sessions SET expires_at = now()');
    await ask('get', '/session', cookie).expect(401);
  });

  it('ends when its token is removed or its operator gets another role, on every gateway', async () => {
    const cookie = { Cookie: await signedIn(ann) };
    const changes = [
      { ADMIN_TOKEN: `ann:${ann}-new,sam:${sam}` },
      { ADMIN_TOKEN: `sam:${sam}` },
      { ADMIN_ROLES: 'ann:support' },
    ];
    for (const change of changes) {
      const other = await openTestGateway(gateway.servers, { ...settings, ...change });
      await ask('get', '/session', cookie, createAdminApp(other.context)).expect(401);
      await other.close();
    }
    await ask('get', '/session', cookie).expect(200);
  });

  it('is listed for its operator and for admins, who can revoke it', async () => {
    const [mine, theirs] = [await signedIn(sam), await signedIn(ann)];
    const list = async (cookie: string) =>
      (await ask('get', '/sessions', { Cookie: cookie }).expect(200)).body.data as {
        id: string;
        actor: string;
        is_current: boolean;
      }[];
    const seen = await list(mine);
    expect(new Set(seen.map(({ actor }) => actor))).toEqual(new Set(['sam']));
    const [current] = seen.filter((one) => one.is_current);
    const [annsCurrent] = (await list(theirs)).filter((one) => one.is_current);
    await ask('delete', `/sessions/${annsCurrent?.id}`, { Cookie: mine }).expect(404);
    await ask('delete', `/sessions/${current?.id}`, { Cookie: theirs }).expect(200);
    await ask('get', '/session', { Cookie: mine }).expect(401);
  });
});

describe('a role', () => {
  it('bounds what sessions and tokens can change', async () => {
    const org = (
      await ask('post', '/organizations', { Authorization: `Bearer ${ann}` }).send({ name: 'Acme' })
    ).body.id;
    const unknown = 'exec_01981e9c-5f0a-7c3e-9b1d-2f6a8c4e0b7d';
    const expected = { [val]: [403, 403], [sam]: [404, 403], [ann]: [404, 200] };
    for (const [token, [cancel, rename]] of Object.entries(expected)) {
      for (const headers of [{ Cookie: await signedIn(token) }, { Authorization: `Bearer ${token}` }]) {
        await ask('get', `/organizations/${org}`, headers).expect(200);
        await ask('post', `/executions/${unknown}/cancel`, headers).expect(Number(cancel));
        await ask('patch', `/organizations/${org}`, headers).send({ name: 'New' }).expect(Number(rename));
      }
    }
    const { body } = await ask('get', '/actions?actor=val', { Authorization: `Bearer ${ann}` }).expect(200);
    expect(body.data).toContainEqual(expect.objectContaining({ status: 403, organization_id: org }));
  });
});
