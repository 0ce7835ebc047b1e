import { apiKeyScopes } from '@holdfast/domain/apiKey';
import { newId } from '@holdfast/domain/ids';
import { until } from '@holdfast/testkit/until';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createAdminApp } from '../adminApp.ts';
import { endpoints } from '../app.ts';
import { createApiDocument } from '../pages/openapi/document.ts';
import { operationsOf, scopeOf } from '../pages/openapi/operations.ts';
import { insertDelivery } from '../testing/insertDelivery.ts';
import { completedExecution } from '../testing/newExecution.ts';
import { clientOf, gatewayOfTests, organizationWithKey } from '../testing/testGateway.ts';

const gateway = await gatewayOfTests({ TRUST_PROXY: '1' });
const { organizationId, key: owner } = await organizationWithKey(gateway, { balance: '100' });

type Method = 'get' | 'post' | 'patch' | 'put' | 'delete';
const ask = (method: Method, path: string, as: string, from = '192.0.2.1') =>
  gateway.client(as)[method](path).set('X-Forwarded-For', from);

const url = 'https://example.com/hooks';

/** A key with these bounds, made by `as`. */
async function make(bounds: object, as = owner) {
  const { body } = await ask('post', '/v1/api-keys', as)
    .send({ name: 'bounded', ...bounds })
    .expect(201);
  return body as { id: string; key: string } & Record<string, unknown>;
}

const described = operationsOf(createApiDocument(endpoints)).filter(({ isEvent }) => !isEvent);
const areaOf = {
  Executions: /^executions:/,
  Batches: /^executions:/,
  Models: /^any$/,
  Balance: /^balance$/,
  Files: /^files$/,
  Webhooks: /^webhooks$/,
  Events: /^webhooks$/,
  'API keys': /^keys$/,
  Portal: /^portal$/,
} as Record<string, RegExp>;

describe('scopes', () => {
  it.each(described.map(({ method, path, operation }) => [method, path, operation] as const))(
    '%s %s needs the one that the OpenAPI document names, which is of its area, and no other',
    async (method, path, operation) => {
      const scope = scopeOf(operation);
      expect(scope ?? 'any').toMatch(areaOf[operation.tags?.[0] ?? ''] ?? /^no area$/);
      // A read token changes nothing.
      const reads = method === 'get' || path.endsWith('/token');
      if (scope?.startsWith('executions:')) expect(scope.endsWith(':read')).toBe(reads);
      const call = async (key: string) =>
        (await ask(method, path.replaceAll(/\{\w+\}/g, 'none'), key)).status;
      if (scope === null) return expect(await call(await keyOf(['files']))).not.toBe(403);
      expect(await call(await keyOf(apiKeyScopes.filter((one) => one !== scope)))).toBe(403);
      expect(await call(await keyOf([scope]))).not.toBe(403);
    },
  );

  const keys = new Map<string, string>();
  async function keyOf(scopes: string[]): Promise<string> {
    const name = scopes.join();
    const key = keys.get(name) ?? (await make({ scopes })).key;
    keys.set(name, key);
    return key;
  }

  it('replace permissions and cannot be combined with them', async () => {
    const made = await make({ scopes: ['balance'] });
    expect(made).toMatchObject({ permissions: 'execution', scopes: ['balance'] });
    const refused = await ask('get', '/v1/executions', made.key).expect(403);
    expect(refused.body.error.message).toContain('`executions:read`');
    const { body } = await ask('post', '/v1/api-keys', owner)
      .send({ name: 'both', permissions: 'full', scopes: ['files'] })
      .expect(400);
    expect(body.error.details[0].field).toBe('scopes');
    await ask('post', '/v1/api-keys', owner).send({ name: 'none', scopes: [] }).expect(400);
    await ask('post', '/v1/api-keys', owner)
      .send({ name: 'odd', scopes: ['all'] })
      .expect(400);
    const many = await ask('post', '/v1/api-keys', owner)
      .send({ name: 'many', scopes: Array(50_000).fill(1) })
      .expect(400);
    expect(many.body.error.details).toHaveLength(1);
  });
});

describe('an expiry', () => {
  it('stops a key, even one in the cache, and prevents its rotation', async () => {
    const expiresAt = new Date(Date.now() + 4000);
    const key = await make({ expires_at: expiresAt.toISOString() });
    await until('it expires', async () => (await ask('get', '/v1/balance', key.key)).status === 401);
    expect(Date.now()).toBeGreaterThan(expiresAt.getTime() - 50);
    await ask('post', `/v1/api-keys/${key.id}/rotate`, owner).expect(404);
  });

  it('must be in the future', async () => {
    const { body } = await ask('post', '/v1/api-keys', owner)
      .send({ name: 'late', expires_at: '2020-01-01T00:00:00Z' })
      .expect(400);
    expect(body.error.details[0]).toMatchObject({ field: 'expires_at', code: 'OUT_OF_RANGE' });
  });

  it('is in the year 9999 at the latest, also in UTC, so that keys can be listed', async () => {
    const { body } = await ask('post', '/v1/api-keys', owner)
      .send({ name: 'endless', expires_at: '9999-12-31T23:59:59-05:00' })
      .expect(400);
    expect(body.error.details[0]).toMatchObject({ field: 'expires_at', code: 'OUT_OF_RANGE' });
    const { id } = await make({ expires_at: '9999-12-31T23:59:59.999Z' });
    const { body: keys } = await ask('get', '/v1/api-keys', owner).expect(200);
    expect(keys.data[0]).toMatchObject({ id, expires_at: '9999-12-31T23:59:59.999Z' });
    await ask('delete', `/v1/api-keys/${id}`, owner).expect(200);
  });
});

describe('models', () => {
  it('limit what a key creates, estimates, reads and lists', async () => {
    const { body: all } = await ask('get', '/v1/models', owner).expect(200);
    const [mine, other] = all.data.map(({ slug }: { slug: string }) => slug);
    const { key } = await make({ models: [mine] });
    const { body: listed } = await ask('get', '/v1/models', key).expect(200);
    expect(listed.data.map(({ slug }: { slug: string }) => slug)).toEqual([mine]);
    await ask('get', `/v1/models/${mine}`, key).expect(200);
    for (const slug of [other, 'there-is-none']) {
      await ask('get', `/v1/models/${slug}`, key).expect(403);
      for (const path of ['/v1/executions', '/v1/executions/estimate']) {
        const refused = await ask('post', path, key).send({ model: slug, input: {} }).expect(403);
        expect(refused.body.error).toMatchObject({
          code: 'FORBIDDEN',
          message: expect.stringContaining(mine),
        });
      }
    }
    await ask('post', '/v1/executions/estimate', key)
      .send({ model: mine, input: { nonsense: 1 } })
      .expect(400);
  });

  describe('limit what a key reads', () => {
    let mine: string;
    let other: string;
    let key: string;
    const ids = async (path: string) => {
      const { body } = await ask('get', path, key).expect(200);
      return (body.data ?? body.deliveries).map(({ id }: { id: string }) => id) as string[];
    };
    const eventOf = async (id: string) => {
      const { rows } = await gateway.context.db.pool.query<{ id: string }>(
        `SELECT event_id($1, 'execution.completed') AS id`,
        [id],
      );
      return rows[0]?.id ?? '';
    };

    beforeAll(async () => {
      const completed = (model: string) =>
        completedExecution(gateway.context.db, { organizationId, model, cost: '0.01' });
      [mine, other] = [await completed('writer'), await completed('painter')];
      ({ key } = await make({ models: ['writer'] }));
    });

    it('to executions of its models, on every path', async () => {
      expect(await ids('/v1/executions')).toContain(mine);
      expect(await ids('/v1/executions')).not.toContain(other);
      expect(await ids('/v1/executions?model=painter')).toEqual([]);
      for (const path of ['', '/input', '/result', '/events']) {
        await ask('get', `/v1/executions/${mine}${path}`, key).expect(200);
        await ask('get', `/v1/executions/${other}${path}`, key).expect(404);
      }
      await ask('post', `/v1/executions/${mine}/cancel`, key).expect(409);
      await ask('post', `/v1/executions/${other}/cancel`, key).expect(404);
      await ask('delete', `/v1/executions/${other}`, key).expect(404);
      await ask('get', `/v1/executions/${other}/result`, owner).expect(200);
    });

    it('to their events and deliveries', async () => {
      const events = [await eventOf(mine), await eventOf(other)] as const;
      const listed = await ids('/v1/events?limit=100');
      expect(listed).toContain(events[0]);
      expect(listed).not.toContain(events[1]);
      await ask('get', `/v1/events/${events[0]}`, key).expect(200);
      await ask('get', `/v1/events/${events[1]}`, key).expect(404);

      const { body: receiver } = await ask('post', '/v1/webhooks/endpoints', owner).send({ url });
      const { db } = gateway.context;
      const deliver = async (executionId: string) => {
        const to = { organizationId, endpointId: receiver.id, executionId, state: 'delivered' } as const;
        return (await insertDelivery(db, to)).id;
      };
      const deliveries = [await deliver(mine), await deliver(other)] as const;
      expect(await ids(`/v1/webhooks/endpoints/${receiver.id}/deliveries`)).toEqual([deliveries[0]]);
      expect(await ids(`/v1/webhooks/deliveries?execution_id=${other}`)).toEqual([]);
      await ask('get', `/v1/webhooks/deliveries/${deliveries[0]}`, key).expect(200);
      await ask('get', `/v1/webhooks/deliveries/${deliveries[1]}`, key).expect(404);
      await ask('post', `/v1/webhooks/deliveries/${deliveries[1]}/redeliver`, key).expect(404);
      expect(await ids(`/v1/events?limit=100&endpoint_id=${receiver.id}`)).not.toContain(events[1]);
    });

    it('to events of its models in its webhook endpoints', async () => {
      const { body: made } = await ask('post', '/v1/webhooks/endpoints', key).send({ url }).expect(201);
      expect(made.models).toEqual(['writer']);
      const more = { url, models: ['writer', 'painter'] };
      const refused = await ask('post', '/v1/webhooks/endpoints', key).send(more).expect(403);
      expect(refused.body.error.message).toContain('`writer`');
      const path = `/v1/webhooks/endpoints/${made.id}`;
      await ask('patch', path, key)
        .send({ models: ['painter'] })
        .expect(403);
      const { body: changed } = await ask('patch', path, key).send({ models: [] }).expect(200);
      expect(changed.models).toEqual(['writer']);
    });
  });

  it('must exist', async () => {
    const { body } = await ask('post', '/v1/api-keys', owner)
      .send({ name: 'x', models: ['nowhere'] })
      .expect(400);
    expect(body.error.details[0]).toMatchObject({ field: 'models.0', code: 'NOT_FOUND' });
  });
});

describe('addresses', () => {
  it('limit where a key is used from, also behind a proxy', async () => {
    const { key } = await make({ addresses: ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7'] });
    for (const inside of ['203.0.113.9', '198.51.100.7', '2001:db8::5', '::ffff:203.0.113.9']) {
      await ask('get', '/v1/balance', key, inside).expect(200);
    }
    for (const outside of ['203.0.114.9', '198.51.100.8', '2001:db9::5', '203.0.113.9, 192.0.2.1']) {
      const refused = await ask('get', '/v1/balance', key, outside).expect(403);
      expect(refused.body.error.code).toBe('FORBIDDEN');
    }
  });

  it.each([
    '10',
    '1.2.3',
    '10.0.0.0/33',
    '::/129',
    'fe80::1%eth0',
    '::ffff:1.2.3.4',
    'here',
    '10.0.0.0/',
    '1.1.1.1/1/1',
    // A client with an IPv4 address in IPv6 is known by the former, so such a range would match no client.
    '::ffff:c0a8:101',
    '0:0:0:0:0:ffff:1.2.3.4',
    '::ffff:0:0/96',
    '64:ff9b::1.2.3.4',
    '::1.2.3.4',
  ])('%s is none', async (text) => {
    await ask('post', '/v1/api-keys', owner)
      .send({ name: 'x', addresses: [text] })
      .expect(400);
  });
});

describe('a key that creates keys', () => {
  const later = (ms: number) => new Date(Date.now() + ms).toISOString();

  it('creates, rotates and revokes no key with wider access than its own', async () => {
    const outsider = await gateway.newKey(await gateway.newOrganization());
    const { body: all } = await ask('get', '/v1/models', owner).expect(200);
    const [mine, other] = all.data.map(({ slug }: { slug: string }) => slug);
    const own = {
      scopes: ['files', 'keys'],
      expires_at: later(60_000),
      models: [mine],
      addresses: ['192.0.2.0/24'],
    };
    const { key, id } = await make(own, outsider);
    for (const more of [
      { permissions: 'full' },
      { scopes: ['keys', 'balance'] },
      { expires_at: later(120_000) },
      { models: [] },
      { models: [mine, other] },
      { addresses: [] },
      { addresses: ['192.0.0.0/16'] },
      { addresses: ['2001:db8::/64'] },
    ]) {
      const refused = await ask('post', '/v1/api-keys', key)
        .send({ name: 'more', ...more })
        .expect(403);
      expect(refused.body.error.message).toContain('wider access than its own');
    }
    const { models, addresses, ...made } = await make(
      { scopes: ['files'], addresses: ['192.0.2.128/25'] },
      key,
    );
    expect({ models, addresses }).toEqual({ models: [mine], addresses: ['192.0.2.128/25'] });
    expect(made).toMatchObject({ scopes: ['files'], expires_at: own.expires_at });

    const { body: listed } = await ask('get', '/v1/api-keys', key).expect(200);
    const full = listed.data.find((one: { permissions: string }) => one.permissions === 'full');
    await ask('post', `/v1/api-keys/${full.id}/rotate`, key).expect(403);
    const kept = await ask('delete', `/v1/api-keys/${full.id}`, key).expect(403);
    expect(kept.body.error.message).toContain('wider access than its own');
    await ask('get', '/v1/balance', outsider).expect(200);
    const { body: rotated } = await ask('post', `/v1/api-keys/${id}/rotate`, key).expect(200);
    expect(rotated).toMatchObject(own);
    await ask('get', '/v1/api-keys', rotated.new_key).expect(200);
    await ask('get', '/v1/api-keys', rotated.new_key, '198.51.100.1').expect(403);
    await ask('get', '/v1/balance', rotated.new_key).expect(403);
    await ask('delete', `/v1/api-keys/${id}`, rotated.new_key).expect(200);
  });
});

describe("the operator's keys", () => {
  it('accept the same bounds', async () => {
    const admin = createAdminApp(gateway.context);
    const bounds = { scopes: ['files'], expires_at: '2999-01-01T00:00:00.000Z', addresses: ['10.0.0.0/8'] };
    const { body } = await clientOf(admin, gateway.context.config.ADMIN_TOKEN)
      .post(`/admin/v1/organizations/${organizationId}/api-keys`)
      .send({ name: 'operator', ...bounds })
      .expect(201);
    expect(body).toMatchObject({ ...bounds, models: [] });
    await ask('get', `/v1/files/${newId('file')}`, body.key, '10.1.1.1').expect(404);
    await ask('get', `/v1/files/${newId('file')}`, body.key).expect(403);
  });
});
