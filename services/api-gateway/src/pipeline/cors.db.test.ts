import { parseConfig } from '@holdfast/kit/config';
import { afterAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { createAdminApp } from '../adminApp.ts';
import { gatewayConfig } from '../context/config.ts';
import { openTestGateway, startTestGateway, type TestGateway } from '../testing/testGateway.ts';

const page = 'https://app.example';

const gateway = await startTestGateway({ CORS_ORIGINS: `${page}, http://localhost:5173` });
const closed = await openTestGateway(gateway.servers);
const open = await openTestGateway(gateway.servers, { CORS_ORIGINS: '*' });

afterAll(async () => {
  await Promise.all([closed.close(), open.close()]);
  await gateway.close();
});

const preflight = ({ app }: Pick<TestGateway, 'app'>, origin: string, path = '/v1/executions') =>
  request(app).options(path).set({
    Origin: origin,
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'authorization',
  });

describe('CORS', () => {
  it('is off by default', async () => {
    const refused = await preflight(closed, page).expect(405);
    const read = await request(closed.app).get('/v1/balance').set('Origin', page).expect(401);
    for (const { headers } of [refused, read]) {
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  it('responds to preflight requests, which are counted, without credentials', async () => {
    const { headers } = await preflight(gateway, page).expect(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': page,
      'access-control-max-age': '600',
      vary: expect.stringContaining('Origin'),
      'x-ratelimit-limit': '3000',
      'x-request-id': expect.any(String),
    });
    expect(headers['access-control-allow-methods']).toContain('DELETE');
    expect(headers['access-control-allow-headers']).toMatch(/Authorization.*Idempotency-Key/);
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
    await preflight(gateway, page, '/storage/anything').expect(204);
    const file = await request(gateway.app).get('/storage/anything');
    expect(file.headers['cross-origin-resource-policy']).toBe('cross-origin');
  });

  it('lets pages read responses and their headers, including errors', async () => {
    const key = await gateway.newKey(await gateway.newOrganization());
    const read = (origin: string, as: string) =>
      request(gateway.app).get('/v1/balance').set('Origin', origin).auth(as, { type: 'bearer' });
    for (const { headers } of [await read(page, key).expect(200), await read(page, 'nonsense').expect(401)]) {
      expect(headers['access-control-allow-origin']).toBe(page);
      expect(headers['access-control-expose-headers']).toMatch(
        /X-Request-Id.*X-RateLimit-Reset.*Retry-After/,
      );
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  it.each(['https://evil.example', 'https://app.example.evil.example', 'http://app.example', 'null', ''])(
    'sends no headers to %s',
    async (origin) => {
      const { headers } = await preflight(gateway, origin).expect(405);
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect(headers['vary']).toContain('Origin');
    },
  );

  it('with * allows every page, but never for the admin API', async () => {
    const { headers } = await preflight(open, 'https://any.example').expect(204);
    expect(headers['access-control-allow-origin']).toBe('*');
    await preflight({ app: createAdminApp(open.context) }, page, '/admin/v1/organizations').expect(405);
  });

  it.each(['app.example', 'https://app.example/', 'https://app.example/path', 'ftp://app.example', 'null'])(
    'cannot be configured with %s',
    (CORS_ORIGINS) => {
      expect(() => parseConfig(gatewayConfig, { CORS_ORIGINS })).toThrow(/CORS_ORIGINS: must be origins/);
    },
  );
});

describe('the headers of every response', () => {
  it('are those of helmet, for the API, its reference and the admin API', async () => {
    const admin = createAdminApp(gateway.context);
    const pages = [request(gateway.app).get('/nothing'), request(gateway.app).get('/docs')];
    const data = [request(gateway.app).get('/v1/balance'), request(admin).get('/admin/v1/organizations')];
    for (const { headers } of await Promise.all([...pages, ...data])) {
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': expect.stringMatching(/^(SAMEORIGIN|DENY)$/),
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
        'strict-transport-security': expect.stringContaining('max-age='),
      });
      expect(headers['content-security-policy']).toMatch(/default-src '(none|self)'/);
      expect(headers).not.toHaveProperty('x-powered-by');
    }
    for (const { headers } of await Promise.all(pages)) {
      expect(headers['cross-origin-opener-policy']).toBe('same-origin');
    }
    for (const { headers } of await Promise.all(data)) {
      expect(headers['content-security-policy']).toBe("default-src 'none';frame-ancestors 'none'");
    }
  });
});
