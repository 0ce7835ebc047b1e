import { newId } from '@holdfast/domain/ids';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { gatewayOfTests } from '../../testing/testGateway.ts';

const gateway = await gatewayOfTests();
let organizationId: string;
let key: string;
let endpoint: { id: string; secret: string };

beforeEach(async () => {
  organizationId = await gateway.newOrganization();
  key = await gateway.newKey(organizationId);
  const body = { url: 'https://example.com/hooks' };
  endpoint = (await call('post', '/v1/webhooks/endpoints').send(body).expect(201)).body;
});

const call = (method: 'get' | 'post' | 'delete', path: string, as = key) => gateway.client(as)[method](path);

type Kept = { secret: string; previous: string | null; until: Date | null; isPrimary: boolean };

const ofEndpoint = {
  path: () => `/v1/webhooks/endpoints/${endpoint.id}/rotate-secret`,
  first: async () => endpoint.secret,
  kept: () =>
    kept(
      `SELECT secret, previous_secret AS previous, previous_secret_until AS until,
        previous_secret_is_primary AS "isPrimary" FROM webhook_endpoints WHERE id = $1`,
      endpoint.id,
    ),
};
const ofOrganization = {
  path: () => '/v1/webhooks/secret/rotate',
  first: async () => (await call('get', '/v1/webhooks/secret').expect(200)).body.secret as string,
  kept: () =>
    kept(
      `SELECT webhook_secret AS secret, previous_webhook_secret AS previous, previous_webhook_secret_until AS until,
        previous_webhook_secret_is_primary AS "isPrimary" FROM organizations WHERE id = $1`,
      organizationId,
    ),
};

/** What the database holds, opened. */
async function kept(statement: string, id: string): Promise<Kept> {
  const { box, db } = gateway.context;
  const [row] = (await db.pool.query<Kept>(statement, [id])).rows;
  if (!row) throw new Error(`nothing is kept of ${id}`);
  return { ...row, secret: box.open(row.secret), previous: row.previous && box.open(row.previous) };
}

describe.each([
  ['of an endpoint', ofEndpoint],
  ['of the organization', ofOrganization],
])('the rotation of the secret %s', (_of, secrets) => {
  it('returns a new secret; the previous one also signs for 24 hours', async () => {
    const first = await secrets.first();
    const { body } = await call('post', secrets.path()).expect(200);
    expect(body).toMatchObject({ secret: expect.stringMatching(/^whsec_/) });
    const { secret, previous, until, isPrimary } = await secrets.kept();
    expect([secret, previous, isPrimary]).toEqual([body.secret, first, false]);
    expect(secret).not.toBe(first);
    expect(body.previous_secret_valid_until).toBe(until?.toISOString());
    expect(Math.abs(Date.parse(body.previous_secret_valid_until) - Date.now() - 86_400_000)).toBeLessThan(
      60_000,
    );
  });

  it('keeps X-Signature with the previous secret when requested, until the next rotation', async () => {
    const kept = await call('post', `${secrets.path()}?keep_primary=old`).expect(200);
    expect(await secrets.kept()).toMatchObject({ secret: kept.body.secret, isPrimary: true });
    await call('post', secrets.path()).expect(200);
    expect(await secrets.kept()).toMatchObject({ previous: kept.body.secret, isPrimary: false });
  });

  it('invalidates the previous secret at once when requested', async () => {
    await call('post', secrets.path()).expect(200);
    const { body } = await call('post', `${secrets.path()}?expire_previous=now`).expect(200);
    expect(body.previous_secret_valid_until).toBeNull();
    expect(await secrets.kept()).toEqual({
      secret: body.secret,
      previous: null,
      until: null,
      isPrimary: false,
    });
  });

  it('leaves two of the returned secrets valid when it is concurrent', async () => {
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => call('post', secrets.path()).expect(200)),
    );
    const returned = responses.map(({ body }) => body.secret as string);
    expect(new Set(returned).size).toBe(8);
    const { secret, previous } = await secrets.kept();
    expect(returned).toEqual(expect.arrayContaining([secret, previous]));
    expect(previous).not.toBe(secret);
  });

  it.each([
    ['keep_primary=old&expire_previous=now', 'keep_primary', 'INVALID_VALUE'],
    ['keep_primary=new', 'keep_primary', 'INVALID_VALUE'],
    ['expire_previous=later', 'expire_previous', 'INVALID_VALUE'],
    ['expire_prevoius=now', 'expire_prevoius', 'UNKNOWN_FIELD'],
  ])('is refused with %s, and changes nothing', async (query, field, code) => {
    const before = await secrets.kept();
    const { body } = await call('post', `${secrets.path()}?${query}`).expect(400);
    expect(body.error.details).toEqual([expect.objectContaining({ field, code })]);
    expect(await secrets.kept()).toEqual(before);
  });
});

describe("the organization's secret", () => {
  it('is read with the end of the previous one, until that has passed', async () => {
    const rotated = await call('post', '/v1/webhooks/secret/rotate').expect(200);
    expect((await call('get', '/v1/webhooks/secret').expect(200)).body).toEqual(rotated.body);
    await gateway.context.db.pool.query(
      `UPDATE organizations SET previous_webhook_secret_until = now() WHERE id = $1`,
      [organizationId],
    );
    expect((await call('get', '/v1/webhooks/secret').expect(200)).body).toEqual({
      secret: rotated.body.secret,
      previous_secret_valid_until: null,
    });
  });
});

describe("an endpoint's secret", () => {
  it('shows in its record until when the previous one also signs', async () => {
    const { body } = await call('post', ofEndpoint.path()).expect(200);
    const record = () => call('get', `/v1/webhooks/endpoints/${endpoint.id}`).expect(200);
    const { previous_secret_valid_until: until } = body;
    expect((await record()).body).toMatchObject({ previous_secret_valid_until: until });
    await gateway.context.db.pool.query(
      'UPDATE webhook_endpoints SET previous_secret_until = now() WHERE id = $1',
      [endpoint.id],
    );
    expect((await record()).body).toMatchObject({ previous_secret_valid_until: null });
  });

  it('can be rotated only by its organization, and not after its deletion', async () => {
    const other = await gateway.newKey(await gateway.newOrganization());
    await call('post', ofEndpoint.path(), other).expect(404);
    await call('post', `/v1/webhooks/endpoints/${newId('wh')}/rotate-secret`).expect(404);
    expect(await ofEndpoint.kept()).toMatchObject({ secret: endpoint.secret, previous: null });
    await call('delete', `/v1/webhooks/endpoints/${endpoint.id}`).expect(200);
    await call('post', ofEndpoint.path()).expect(404);
  });
});
