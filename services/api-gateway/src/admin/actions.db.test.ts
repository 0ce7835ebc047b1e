import { describe, expect, it, jest } from '@jest/globals';
import { adminEndpoints, createAdminApp } from '../adminApp.ts';
import { clientOf, gatewayOfTests } from '../testing/testGateway.ts';

const ann = 'ann-has-a-token-of-hers';
const bob = 'bob-has-another-token';

const gateway = await gatewayOfTests({
  ADMIN_TOKEN: `ann:${ann},bob:${bob},bob:${bob}-new`,
  TRUST_PROXY: '1',
});
const admin = createAdminApp(gateway.context);

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
const ask = (method: Method, path: string, as = ann) => {
  const pending = clientOf(admin, as)[method](`/admin/v1${path}`);
  return pending.set('X-Forwarded-For', '203.0.113.9');
};
const actions = async (query = '') => (await ask('get', `/actions?${query}`).expect(200)).body;
const newOrganization = async (as = ann): Promise<string> =>
  (await ask('post', '/organizations', as).send({ name: 'Acme' }).expect(201)).body.id;

describe('admin tokens', () => {
  it('can be several, and each of them is accepted', async () => {
    for (const token of [ann, bob, `${bob}-new`]) await ask('get', '/organizations', token).expect(200);
    for (const token of ['', 'ann', `ann:${ann}`, `${ann}x`])
      await ask('get', '/organizations', token).expect(401);
  });
});

describe('the log', () => {
  it('names the operator of a read and the address of a wrong token, never the token', async () => {
    const info = jest.spyOn(gateway.context.log, 'info');
    await ask('get', '/organizations').expect(200);
    await ask('get', '/organizations', 'unknown-token').expect(401);
    const lines = info.mock.calls.map(([fields]) => fields);
    expect(lines).toMatchObject([
      { status: 200, operator: 'ann', address: '203.0.113.9' },
      { status: 401, operator: null, address: '203.0.113.9' },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/token/);
    info.mockRestore();
  });
});

describe('admin actions', () => {
  it('record the operator, action, target, address and status', async () => {
    const org = await newOrganization(bob);
    const { body: key, headers } = await ask('post', `/organizations/${org}/api-keys`)
      .send({ name: 'CI', scopes: ['files'] })
      .expect(201);
    const { data } = await actions(`organization_id=${org}`);
    expect(data).toHaveLength(2);
    expect(data[0]).toEqual({
      id: expect.stringMatching(/^act_/),
      at: expect.any(String),
      actor: 'ann',
      address: '203.0.113.9',
      request_id: headers['x-request-id'],
      action: 'POST /admin/v1/organizations/{id}/api-keys',
      organization_id: org,
      target: key.id,
      status: 201,
      details: { name: 'CI', scopes: ['files'] },
    });
    expect(data[1]).toMatchObject({ actor: 'bob', status: 201, target: null, details: { name: 'Acme' } });
    const { rows } = await gateway.context.db.pool.query('SELECT * FROM admin_actions');
    expect(JSON.stringify(rows)).not.toContain(key.key.slice(12));
  });

  it('are recorded for every endpoint that changes something, including refusals', async () => {
    const org = await newOrganization();
    const changing = adminEndpoints.filter(({ method }) => method !== 'GET');
    for (const { method, path } of changing.filter(({ body }) => !body)) {
      const at = path
        .replace('/admin/v1', '')
        .replaceAll('{organization_id}', org)
        .replaceAll(/\{\w+\}/g, 'none');
      const response = await ask(method.toLowerCase() as Method, at);
      const { data } = await actions(`limit=1&action=${encodeURIComponent(`${method} ${path}`)}`);
      expect(data[0]).toMatchObject({
        request_id: response.headers['x-request-id'],
        status: response.status,
      });
    }
    await ask('patch', `/organizations/${org}`).send({ name: 'New' }).expect(200);
    await ask('put', `/organizations/${org}/spend-limit`).send({ amount: '5' }).expect(200);
    const { data } = await actions(`organization_id=${org}&limit=2`);
    expect(data.map(({ details }: { details: unknown }) => details)).toEqual([
      { amount: '5' },
      { name: 'New' },
    ]);
  });

  it('are recorded without the body when it is refused, with the address if there is one', async () => {
    const org = await newOrganization();
    await ask('patch', `/organizations/${org}`).send({ name: '', token: 'hush' }).expect(400);
    await ask('patch', `/organizations/${org}`).type('json').send('{"name":').expect(400);
    await ask('patch', `/organizations/${org}`)
      .set('X-Forwarded-For', `<b>${'x'.repeat(3000)}`)
      .send({ name: 'New' })
      .expect(200);
    const { data } = await actions(`organization_id=${org}&limit=3`);
    expect(data).toMatchObject([
      { status: 200, address: expect.stringMatching(/^[\d.]+$/) },
      { status: 400, details: {} },
      { status: 400, details: {}, actor: 'ann', action: 'PATCH /admin/v1/organizations/{id}' },
    ]);
  });

  it('are filtered by actor, action and time, page by page', async () => {
    const org = await newOrganization(bob);
    const of = `organization_id=${org}`;
    await ask('patch', `/organizations/${org}`, bob).send({ name: 'B' }).expect(200);
    await ask('patch', `/organizations/${org}`, ann).send({ name: 'C' }).expect(200);
    const count = async (query: string) => (await actions(`${of}&${query}`)).data.length;
    expect(await count('')).toBe(3);
    expect(await count('actor=bob')).toBe(2);
    expect(await count('action=patch')).toBe(2);
    expect(await count('from=2999-01-01T00:00:00Z')).toBe(0);
    expect(await count('to=2999-01-01T00:00:00Z')).toBe(3);
    const first = await actions(`${of}&limit=2`);
    const rest = await actions(`${of}&limit=2&cursor=${first.next_cursor}`);
    expect([first.data.length, first.has_more, rest.data.length, rest.has_more]).toEqual([2, true, 1, false]);
  });

  it('do not run when they cannot be recorded', async () => {
    const org = await newOrganization();
    const { pool } = gateway.context.db;
    await pool.query('ALTER TABLE admin_actions RENAME TO admin_actions_away');
    try {
      await ask('patch', `/organizations/${org}`).send({ name: 'Undone' }).expect(500);
      const { body } = await ask('get', `/organizations/${org}`).expect(200);
      expect(body.name).toBe('Acme');
    } finally {
      await pool.query('ALTER TABLE admin_actions_away RENAME TO admin_actions');
    }
  });
});
