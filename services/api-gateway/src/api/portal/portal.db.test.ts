import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '@holdfast/domain/ids';
import { portalCapabilities } from '@holdfast/domain/portal';
import { testFolder } from '@holdfast/testkit/testFolder';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import express, { type Express } from 'express';
import request, { type Response } from 'supertest';
import { callsOf } from '../../access/portalCapabilities.ts';
import { createAdminApp } from '../../adminApp.ts';
import { endpoints } from '../../app.ts';
import { mountPortal } from '../../pages/portal.ts';
import { insertDelivery } from '../../testing/insertDelivery.ts';
import { completedExecution } from '../../testing/newExecution.ts';
import { clientOf, gatewayOfTests, openTestGateway, organizationWithKey } from '../../testing/testGateway.ts';

const host = 'portal.test';
const fromPortal = { Host: host, Origin: `http://${host}`, 'X-Holdfast-Console': '1' };
const adminToken = 'an-admin-token-for-tests';
const everything = ['executions', 'webhooks', 'keys', 'usage'];

const gateway = await gatewayOfTests({
  TRUST_PROXY: '1',
  PORTAL_TOP_UP_URL: 'https://pay.test/{organization_id}',
});
const admin = createAdminApp(gateway.context);
let organizationId: string;
let owner: string;

beforeEach(async () => {
  ({ organizationId, key: owner } = await organizationWithKey(gateway, { balance: '100' }));
});

type Method = 'get' | 'post' | 'patch' | 'put' | 'delete';
type Link = { id: string; url: string };

const link = async (settings: object = {}, key = owner): Promise<Link> =>
  (
    await gateway
      .client(key)
      .post('/v1/portal-sessions')
      .send({ capabilities: everything, ...settings })
      .expect(201)
  ).body;
const tokenOf = ({ url }: Link) => url.split('#token=')[1] ?? '';
const exchange = (body: object, headers: object = {}) =>
  request(gateway.app)
    .post('/v1/portal-session')
    .set({ ...fromPortal, ...headers })
    .send(body);
const setCookieOf = ({ headers }: Response) => String(headers['set-cookie']?.[0]);

type Session = { id: string; cookie: string };

function sessionOf(response: Response): Session {
  return { id: response.body.id, cookie: setCookieOf(response).split(';')[0] ?? '' };
}

async function openSession(settings: object = {}, key = owner): Promise<Session> {
  return sessionOf(await exchange({ token: tokenOf(await link(settings, key)) }).expect(201));
}

const ask = (method: Method, path: string, { id, cookie }: Session, headers: object = {}) => {
  const client = request(gateway.app);
  return client[method](`/console/s/${id}${path}`).set({ ...fromPortal, Cookie: cookie, ...headers });
};

/** With another gateway on the same database, which has no key cached. */
async function withoutCache(work: (app: Express) => Promise<void>): Promise<void> {
  const other = await openTestGateway(gateway.servers);
  try {
    await work(other.app);
  } finally {
    await other.close();
  }
}

const sql = async (text: string, values: unknown[] = []) =>
  (await gateway.context.db.pool.query<Record<string, string>>(text, values)).rows;

describe('a link to the portal', () => {
  it('is exchanged for a session once, of two uses at once too', async () => {
    const token = tokenOf(await link());
    const uses = await Promise.all([exchange({ token }), exchange({ token })]);
    expect(uses.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 401]);
    await exchange({ token }).expect(401);
  });

  it('has its token in the fragment, and neither it nor the cookie is stored', async () => {
    const made = await link();
    expect(made.url).toMatch(new RegExp(`/console/s/${made.id}/#token=link_[\\w-]{43}$`));
    const { cookie } = sessionOf(await exchange({ token: tokenOf(made) }).expect(201));
    const rows = JSON.stringify(await sql('SELECT * FROM portal_sessions'));
    for (const secret of [tokenOf(made), cookie.split('=')[1] ?? '']) expect(rows).not.toContain(secret);
  });

  it('expires', async () => {
    const made = await link();
    await sql('UPDATE portal_sessions SET ends_at = now() WHERE id = $1', [made.id]);
    await exchange({ token: tokenOf(made) }).expect(401);
  });

  it('cannot be used by a page of another origin, nor without the header of the console', async () => {
    const token = tokenOf(await link());
    const { 'X-Holdfast-Console': _header, ...without } = fromPortal;
    await exchange({ token }, { Origin: 'https://evil.test' }).expect(403);
    await exchange({ token }, { 'Sec-Fetch-Site': 'cross-site' }).expect(403);
    await request(gateway.app).post('/v1/portal-session').set(without).send({ token }).expect(403);
    await exchange({ token }).expect(201);
  });

  it('is refused for capabilities beyond its key, settings that are not valid, and keys without the scope', async () => {
    const { body: bounded } = await gateway
      .client(owner)
      .post('/v1/api-keys')
      .send({ name: 'portal', scopes: ['portal', 'webhooks'] })
      .expect(201);
    const make = (body: object, key = bounded.key) =>
      gateway.client(key).post('/v1/portal-sessions').send(body);
    await make({ capabilities: ['webhooks'] }).expect(201);
    const refused = await make({ capabilities: ['webhooks', 'keys'] }).expect(403);
    expect(refused.body.error.message).toContain('`keys`');
    await make({ capabilities: ['webhooks'] }, await gateway.newKey(organizationId, 'execution')).expect(403);
    const bad = [
      { capabilities: [] },
      { capabilities: ['everything'] },
      { expires_in_s: 899 },
      { expires_in_s: 86_401 },
      { frame_ancestors: ['*'] },
      { frame_ancestors: ['http://app.test'] },
      { frame_ancestors: ["https://app.test; script-src 'unsafe-inline'"] },
      { frame_ancestors: ['https://app.test/path'] },
      { frame_ancestors: [`https://${'a'.repeat(300)}.test`] },
      { return_url: 'javascript:alert(1)' },
      { return_url: 'https://app.test:0/' },
      { frame_ancestors: ['https://app.test:0'] },
      { theme: { accent: 'red' } },
      { theme: { logo_url: 'https://cdn.test/a.png;script-src *' } },
      { theme: { logo_url: 'data:image/svg+xml,<svg/>' } },
      { theme: { logo_url: 'https://*/logo.png' } },
      { theme: { logo_url: 'https://cdn.test' } },
      { theme: { logo_url: 'https://cdn.test/images/' } },
      { theme: { logo_url: 'https://cdn.test/images/.?v=2' } },
    ];
    for (const settings of bad) await make({ capabilities: ['webhooks'], ...settings }).expect(400);
  });

  it('is refused above the limit of an organization', async () => {
    await sql(
      `INSERT INTO portal_sessions (id, organization_id, capabilities, frame_ancestors, color_scheme, link_hash, lifetime_s, ends_at)
       SELECT 'pses_' || gen_random_uuid(), $1, '{usage}', '{}', 'auto', gen_random_uuid()::text, 900, now() + interval '1 hour'
       FROM generate_series(1, 10000)`,
      [organizationId],
    );
    const { headers } = await gateway
      .client(owner)
      .post('/v1/portal-sessions')
      .send({ capabilities: ['usage'] })
      .expect(429);
    expect(headers['retry-after']).toBe('600');
    await exchange({ api_key: owner }).expect(429);
    await sql('UPDATE portal_sessions SET revoked_at = now() WHERE organization_id = $1', [organizationId]);
    await link();
  });

  it('leaves no rows behind: those that ended a day ago are removed', async () => {
    const { id } = await openSession();
    await sql(`UPDATE portal_sessions SET ends_at = now() - interval '25 hours' WHERE id = $1`, [id]);
    await link();
    expect(await sql('SELECT id FROM portal_sessions WHERE id = $1', [id])).toEqual([]);
  });

  it('can be made by an operator, for an organization, and is recorded', async () => {
    const operator = clientOf(admin, adminToken);
    const { body: made } = await operator
      .post(`/admin/v1/organizations/${organizationId}/portal-sessions`)
      .send({ capabilities: ['usage', 'keys'] })
      .expect(201);
    expect(made.url).toMatch(/^http:\/\/gateway\.test\/console\/s\/pses_/);
    const session = sessionOf(await exchange({ token: tokenOf(made) }).expect(201));
    const { body } = await ask('get', '/v1/balance', session).expect(200);
    expect(body.available).toBe('100.00');
    await ask('get', '/v1/executions', session).expect(403);
    const [action] = await sql(
      'SELECT target FROM admin_actions WHERE organization_id = $1 AND status = 201',
      [organizationId],
    );
    expect(action).toMatchObject({ target: made.id });
    await operator.delete(`/admin/v1/organizations/${organizationId}/portal-sessions/${made.id}`).expect(200);
    await ask('get', '/v1/balance', session).expect(401);
  });
});

describe('the cookie of a session', () => {
  it('is strict where the portal is a page, and partitioned where a page of another site frames it', async () => {
    const page = await exchange({ token: tokenOf(await link()) }).expect(201);
    const attributes = `Path=/console/s/${page.body.id}/; Max-Age=3(600|5\\d\\d); HttpOnly; SameSite=Strict$`;
    expect(setCookieOf(page)).toMatch(new RegExp(`^holdfast_portal=ses_[\\w-]{43}; ${attributes}`));
    const secure = await exchange({ token: tokenOf(await link()) }, { Origin: `https://${host}` }).expect(
      201,
    );
    expect(setCookieOf(secure)).toMatch(/^__Secure-holdfast_portal=.*; HttpOnly; Secure; SameSite=Strict$/);
    const token = tokenOf(await link({ frame_ancestors: ['https://app.test'] }));
    expect(setCookieOf(await exchange({ token }).expect(201))).toMatch(
      /^__Secure-holdfast_portal=.*; HttpOnly; Secure; SameSite=None; Partitioned$/,
    );
  });

  it('is of no use at the API itself, nor at another session', async () => {
    const [one, two] = [await openSession(), await openSession()];
    await request(gateway.app)
      .get('/v1/balance')
      .set({ ...fromPortal, Cookie: one.cookie })
      .expect(401);
    await ask('get', '/v1/balance', { id: two.id, cookie: one.cookie }).expect(401);
    await ask('get', '/v1/balance', { id: newId('pses'), cookie: one.cookie }).expect(401);
  });

  it('does not let pages of other origins read or change anything', async () => {
    const session = await openSession();
    const path = '/v1/webhooks/endpoints';
    const refusals = [
      { Origin: 'https://evil.test' },
      { Origin: 'null' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
    ];
    for (const headers of refusals) {
      await ask('post', path, session, headers).send({ url: 'https://a.test/h' }).expect(403);
    }
    await ask('get', '/v1/balance', session, { 'Sec-Fetch-Site': 'cross-site' }).expect(403);
    const { 'X-Holdfast-Console': _header, ...without } = fromPortal;
    await request(gateway.app)
      .delete(`/console/s/${session.id}/v1/portal-session`)
      .set({ ...without, Cookie: session.cookie })
      .expect(403);
    const preflight = await request(gateway.app)
      .options(`/console/s/${session.id}${path}`)
      .set({ Origin: 'https://evil.test', 'Access-Control-Request-Method': 'POST' });
    expect(preflight.headers).not.toHaveProperty('access-control-allow-origin');
  });
});

describe('a session', () => {
  it('describes itself', async () => {
    const theme = { accent: '#ff8800', logo_url: 'https://cdn.test/logo.png', color_scheme: 'dark' };
    const session = await openSession({
      capabilities: ['usage', 'topup'],
      theme,
      return_url: 'https://app.test/home',
    });
    const { body } = await ask('get', '/v1/portal-session', session).expect(200);
    expect(body).toMatchObject({
      id: session.id,
      organization_id: organizationId,
      capabilities: ['usage', 'topup'],
      theme,
      return_url: 'https://app.test/home',
      top_up_url: `https://pay.test/${organizationId}`,
    });
    await gateway.client(owner).get('/v1/portal-session').expect(404);
  });

  const calls = Object.entries(callsOf).flatMap(([capability, list]) =>
    list.map((call) => [capability, call] as const),
  );

  it('has capabilities that exist in the API', () => {
    const known = endpoints.map(({ method, path }) => `${method} ${path}`);
    expect(calls.map(([, call]) => call).filter((call) => !known.includes(call))).toEqual([]);
  });

  it('may call what its capabilities open, and nothing else of the API', async () => {
    for (const capability of portalCapabilities) {
      const session = await openSession({ capabilities: [capability] });
      for (const { method, path, access = 'key' } of endpoints) {
        if (access !== 'key') continue;
        const isOpen = callsOf[capability].includes(`${method} ${path}`);
        const { status } = await ask(
          method.toLowerCase() as Method,
          path.replaceAll(/\{\w+\}/g, 'none'),
          session,
        );
        expect([capability, method, path, status === 403]).toEqual([capability, method, path, !isOpen]);
      }
    }
  });

  it('reads and changes nothing of another organization, by any call with its ids', async () => {
    const { db } = gateway.context;
    const other = await organizationWithKey(gateway, { balance: '5' });
    const theirs = gateway.client(other.key);
    const { body: endpoint } = await theirs.post('/v1/webhooks/endpoints').send({ url: 'https://a.test/h' });
    const { body: key } = await theirs.post('/v1/api-keys').send({ name: 'theirs' });
    const { body: batch } = await theirs.post('/v1/batches').send({ model: 'writer' });
    const { body: file } = await theirs
      .post('/v1/files/upload')
      .send({ filename: 'a.png', content_type: 'image/png', size_bytes: 10 });
    const executionId = await completedExecution(db, {
      organizationId: other.organizationId,
      model: 'writer',
      cost: '0.01',
    });
    const to = { organizationId: other.organizationId, endpointId: endpoint.id, executionId };
    const delivery = await insertDelivery(db, { ...to, state: 'delivered' });
    const idsOf: Record<string, string> = {
      executions: executionId,
      endpoints: endpoint.id,
      deliveries: delivery.id,
      'api-keys': key.id,
      batches: batch.id,
      files: file.file_id,
    };
    const session = await openSession();
    const withIds = calls.filter(([, call]) => call.includes('{'));
    for (const [, call] of withIds) {
      const [method = '', path = ''] = call.split(' ');
      const id = idsOf[/([\w-]+)\/\{/.exec(path)?.[1] ?? ''] ?? '';
      expect([call, id]).not.toEqual([call, '']);
      const bodies: Record<string, object> = {
        recover: { since: '2026-01-01T00:00:00Z' },
        retry: { filter: { status: ['failed'] } },
        resume: {},
      };
      const body = bodies[path.split('/').at(-1) ?? ''];
      const { status } = await ask(method.toLowerCase() as Method, path.replace(/\{\w+\}/, id), session).send(
        body,
      );
      expect([call, status]).toEqual([call, 404]);
    }
    const lists = calls.filter(([, call]) => call.startsWith('GET') && !call.includes('{'));
    for (const [, call] of lists) {
      const query = call.endsWith('/deliveries') ? `?execution_id=${executionId}` : '';
      const { text, status } = await ask('get', `${call.split(' ')[1]}${query}`, session);
      expect([call, status]).toEqual([call, 200]);
      for (const id of [...Object.values(idsOf), other.organizationId]) expect(text).not.toContain(id);
    }
  });

  it('creates keys within the bounds of its own key', async () => {
    const session = await openSession();
    const { body } = await ask('post', '/v1/api-keys', session).send({ name: 'made here' }).expect(201);
    await gateway.client(body.key).get('/v1/balance').expect(200);
    const { body: bounded } = await gateway
      .client(owner)
      .post('/v1/api-keys')
      .send({ name: 'bounded', scopes: ['portal', 'keys'] });
    const narrow = await openSession({ capabilities: ['keys'] }, bounded.key);
    await ask('post', '/v1/api-keys', narrow).send({ name: 'wide', permissions: 'full' }).expect(403);
  });

  it('ends when its key is revoked', async () => {
    const { body: key } = await gateway.client(owner).post('/v1/api-keys').send({ name: 'portal' });
    const session = await openSession({}, key.key);
    const unused = tokenOf(await link({}, key.key));
    await ask('get', '/v1/balance', session).expect(200);
    await gateway.client(owner).delete(`/v1/api-keys/${key.id}`).expect(200);
    await withoutCache(async (app) => {
      await request(app)
        .get(`/console/s/${session.id}/v1/balance`)
        .set({ ...fromPortal, Cookie: session.cookie })
        .expect(401);
    });
    await exchange({ token: unused }).expect(401);
  });

  it('ends when it expires, when it is revoked, and when the tenant signs out', async () => {
    const [expired, revoked, left] = [await openSession(), await openSession(), await openSession()];
    await sql('UPDATE portal_sessions SET ends_at = now() WHERE id = $1', [expired.id]);
    const stranger = (await organizationWithKey(gateway)).key;
    await gateway.client(stranger).delete(`/v1/portal-sessions/${revoked.id}`).expect(404);
    await gateway.client(owner).delete(`/v1/portal-sessions/${revoked.id}`).expect(200);
    const response = await ask('delete', '/v1/portal-session', left).expect(200);
    expect(setCookieOf(response)).toContain('Max-Age=0');
    for (const session of [expired, revoked, left]) {
      await ask('get', '/v1/portal-session', session).expect(401);
    }
  });

  it('is counted apart from the keys of its organization', async () => {
    const session = await openSession();
    const { headers } = await ask('get', '/v1/balance', session).expect(200);
    const direct = await gateway.client(owner).get('/v1/balance').expect(200);
    expect(Number(headers['x-ratelimit-remaining'])).toBeGreaterThan(
      Number(direct.headers['x-ratelimit-remaining']),
    );
  });

  it('follows executions apart from the streams of its key and of other organizations', async () => {
    const { streams, config, db } = gateway.context;
    const id = await completedExecution(db, { organizationId, model: 'writer', cost: '0.01' });
    const { body: keys } = await gateway.client(owner).get('/v1/api-keys').expect(200);
    const { body: made } = await clientOf(admin, adminToken)
      .post(`/admin/v1/organizations/${organizationId}/portal-sessions`)
      .send({ capabilities: ['executions'] })
      .expect(201);
    const byOperator = sessionOf(await exchange({ token: tokenOf(made) }).expect(201));
    const taken = ['operator', keys.data[0].id].flatMap((holder) =>
      Array.from({ length: config.EVENT_STREAMS_PER_KEY }, () => streams.take(organizationId, holder)),
    );
    const path = `/v1/executions/${id}/events`;
    await gateway.client(owner).get(path).expect(429);
    await ask('get', path, byOperator).expect(200);
    await ask('get', path, await openSession()).expect(200);
    for (const release of taken) release();
  });
});

describe('signing in with an API key', () => {
  it('gives the capabilities that the scopes of the key allow', async () => {
    const { body: key } = await gateway
      .client(owner)
      .post('/v1/api-keys')
      .send({ name: 'reader', scopes: ['executions:read', 'balance'] });
    const response = await exchange({ api_key: key.key }).expect(201);
    expect(response.body).toMatchObject({ capabilities: ['executions', 'usage', 'topup'], key_id: key.id });
    expect(JSON.stringify(response.body)).not.toContain(key.key);
    const session = sessionOf(response);
    await ask('get', '/v1/executions', session).expect(200);
    await ask('post', `/v1/executions/${newId('exec')}/cancel`, session).expect(403);
    await exchange({ api_key: `${key.key.slice(0, -1)}x` }).expect(401);
  });

  it('leaves room for the sessions of other keys, however often one signs in', async () => {
    const { body: key } = await gateway
      .client(owner)
      .post('/v1/api-keys')
      .send({ name: 'in a page', scopes: ['executions:read'] });
    await exchange({ api_key: key.key }).expect(201);
    await sql(
      `INSERT INTO portal_sessions (id, organization_id, key_hash, capabilities, frame_ancestors, color_scheme, hash, lifetime_s, ends_at)
       SELECT 'pses_' || gen_random_uuid(), organization_id, key_hash, '{}', '{}', 'auto', gen_random_uuid()::text, 900, ends_at
       FROM portal_sessions, generate_series(1, 99) WHERE organization_id = $1`,
      [organizationId],
    );
    await exchange({ api_key: key.key }).expect(429);
    await exchange({ api_key: owner }).expect(201);
  });

  it('works only from the addresses of the key, and so does the session', async () => {
    const { body: key } = await gateway
      .client(owner)
      .post('/v1/api-keys')
      .send({ name: 'bound', addresses: ['203.0.113.7'] });
    const from = (ip: string) => ({ 'X-Forwarded-For': ip });
    await exchange({ api_key: key.key }, from('203.0.113.8')).expect(403);
    const session = sessionOf(await exchange({ api_key: key.key }, from('203.0.113.7')).expect(201));
    await ask('get', '/v1/balance', session, from('203.0.113.7')).expect(200);
    await ask('get', '/v1/balance', session, from('203.0.113.8')).expect(403);
  });

  it('ends with the value of the key, one hour after a rotation', async () => {
    const { body: key } = await gateway.client(owner).post('/v1/api-keys').send({ name: 'rotated' });
    const session = sessionOf(await exchange({ api_key: key.key }).expect(201));
    await gateway.client(owner).post(`/v1/api-keys/${key.id}/rotate`).expect(200);
    await ask('get', '/v1/balance', session).expect(200);
    await sql(
      'UPDATE api_key_values SET valid_until = now() WHERE api_key_id = $1 AND valid_until IS NOT NULL',
      [key.id],
    );
    await withoutCache(async (app) => {
      await request(app)
        .get(`/console/s/${session.id}/v1/balance`)
        .set({ ...fromPortal, Cookie: session.cookie })
        .expect(401);
    });
  });
});

describe('a page of the portal', () => {
  const pages = testFolder('portal');
  const app = express();

  beforeAll(() => {
    mkdirSync(join(pages, 'assets'));
    for (const name of ['index', 'portal'])
      writeFileSync(join(pages, `${name}.html`), `<!doctype html>${name}`);
    mountPortal(app, gateway.context, pages);
  });

  const policyOf = async (path: string) => {
    const { headers, text } = await request(app).get(path).expect(200);
    expect(text).toContain('portal');
    return { policy: String(headers['content-security-policy']), frameOptions: headers['x-frame-options'] };
  };

  it('may be framed by the origins of its session alone', async () => {
    const framed = await link({
      frame_ancestors: ['https://app.test', 'https://b.test:8443'],
      theme: { logo_url: 'https://cdn.test/logo.png?v=2' },
    });
    const { policy, frameOptions } = await policyOf(`/console/s/${framed.id}/executions`);
    expect(policy).toContain('frame-ancestors https://app.test https://b.test:8443');
    expect(policy).toContain("img-src 'self' https://cdn.test/logo.png;");
    expect(frameOptions).toBeUndefined();
  });

  it('may be framed by no page otherwise', async () => {
    const page = await link();
    for (const path of [`s/${page.id}/`, `s/${newId('pses')}/`, 's/none/', '', 'index.html']) {
      const { policy, frameOptions } = await policyOf(`/console/${path}`);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(frameOptions).toBe('DENY');
    }
  });
});
