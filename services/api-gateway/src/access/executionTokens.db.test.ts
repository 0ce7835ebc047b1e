import { insertOutput, markOutputReady } from '@holdfast/db/files';
import { newId } from '@holdfast/domain/ids';
import { untilReady } from '@holdfast/queues/connection';
import { until } from '@holdfast/testkit/until';
import { describe, expect, it, jest } from '@jest/globals';
import request from 'supertest';
import { endpoints } from '../app.ts';
import { eventsOf, serve } from '../testing/readEvents.ts';
import { gatewayOfTests, openTestGateway, organizationWithKey } from '../testing/testGateway.ts';
import type { TokenClaims } from './executionTokens.ts';
import { boundsFor, unbounded } from './keyBounds.ts';
import type { ApiKeyRequest } from './keyRequest.ts';
import { issueApiKey } from './newKeys.ts';

const gateway = await gatewayOfTests({ RATE_LIMIT_TOKEN_PER_MINUTE: '200' });
const { key, organizationId } = await organizationWithKey(gateway, { balance: '1000' });

const page = 'https://page.example';
const own = { metadata: { secret: 1 }, webhook_url: 'https://example.com/hooks?secret=1' };

async function create(as = key): Promise<string> {
  const sent = gateway.client(as).post('/v1/executions');
  return (await sent.send({ model: 'writer', input: { prompt: 'a' }, ...own }).expect(202)).body.id;
}

async function newToken(id: string, as = key, body?: object): Promise<string> {
  const sent = gateway.client(as).post(`/v1/executions/${id}/token`);
  return (await sent.send(body).expect(201)).body.token;
}

async function newKey(request: Partial<ApiKeyRequest>) {
  const bounds = boundsFor(unbounded, { name: 'k', ...request });
  return await issueApiKey(gateway.context.db, { organizationId, name: 'k', bounds });
}

function claimsOf(token: string): TokenClaims {
  const claims = gateway.context.tokens.verify(token);
  if (!claims) throw new Error('not a token of this gateway');
  return claims;
}

const complete = (id: string) =>
  gateway.context.db.prisma.execution.update({
    where: { id },
    data: { status: 'COMPLETED', completedAt: new Date(), cost: '0.01', output: { text: 'hello' } },
  });

async function addResultFile(executionId: string): Promise<string> {
  const { db, store } = gateway.context;
  const [id, bytes] = [newId('file'), Buffer.from('hello')];
  await store.put(id, bytes, { contentType: 'text/plain' });
  const file = { filename: 'a.txt', contentType: 'text/plain', key: id };
  await insertOutput(db, { id, organizationId, executionId, ...file });
  await markOutputReady(db, id, { sizeBytes: bytes.length, width: null, height: null });
  return id;
}

const read = (token: string, path: string) => gateway.client(token).get(path).set('Origin', page);

describe('an execution token', () => {
  it('reads status, events, result and result files of its execution, from any origin', async () => {
    const id = await create();
    const token = await newToken(id);
    const { body: open, headers } = await read(token, `/v1/executions/${id}`).expect(200);
    expect(headers).toMatchObject({ 'access-control-allow-origin': '*', 'x-ratelimit-limit': '200' });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
    expect(open).toMatchObject({ id, status: 'PENDING', metadata: null, webhook_url: null });
    await complete(id);
    const file = await addResultFile(id);
    expect((await read(token, `/v1/executions/${id}/result`).expect(200)).body.output).toEqual({
      text: 'hello',
    });
    const { text } = await read(token, `/v1/executions/${id}/events`).expect(200);
    expect(text).toContain('"status":"COMPLETED"');
    expect(text).not.toContain('secret');
    const download = await read(token, `/v1/files/${file}/download`).expect(200);
    expect([download.text, download.headers['access-control-allow-origin']]).toEqual(['hello', '*']);
    const { body: link } = await read(token, `/v1/files/${file}/url`).expect(200);
    expect(Date.parse(link.expires_at) - Date.now()).toBeLessThan(901_000);
  });

  it('is refused at every other endpoint', async () => {
    const id = await create();
    const token = await newToken(id);
    const others = endpoints.filter(({ access, allowsTokens }) => access !== 'anyone' && !allowsTokens);
    expect(others.length).toBeGreaterThan(30);
    for (const { method, path } of others) {
      const target = path.replace(/\{\w+\}/, path.startsWith('/v1/executions') ? id : 'x');
      const send = gateway.client(token)[method.toLowerCase() as 'get'];
      const { status, headers } = await send(target).set('Origin', page);
      expect([method, path, status]).toEqual([method, path, 403]);
      // The path of an allowed endpoint may have others, which pages cannot call.
      expect(headers).not.toHaveProperty('access-control-allow-origin');
    }
    expect((await gateway.client(key).get(`/v1/executions/${id}`)).body.status).toBe('PENDING');
  });

  it('finds no other execution, no input, no file but its results, and no upload', async () => {
    const [id, other] = [await create(), await create()];
    const token = await newToken(id);
    for (const path of ['', '/result', '/events'])
      await read(token, `/v1/executions/${other}${path}`).expect(404);
    await read(token, `/v1/executions/${id}/input`).expect(403);
    const upload = { filename: 'a.txt', content_type: 'text/plain', size_bytes: 5 };
    const { body: input } = await gateway.client(key).post('/v1/files/upload').send(upload).expect(201);
    for (const file of [await addResultFile(other), input.file_id, newId('file')]) {
      await read(token, `/v1/files/${file}/download`).expect(404);
      await read(token, `/v1/files/${file}/url`).expect(404);
    }
    const { key: outsider } = await organizationWithKey(gateway);
    await gateway.client(outsider).post(`/v1/executions/${id}/token`).expect(404);
  });

  it('is refused once it has expired, and ends its stream then', async () => {
    const id = await create();
    const { tokens } = gateway.context;
    const { apiKeyId } = claimsOf(await newToken(id));
    const sign = (aheadMs: number) =>
      tokens.sign({ executionId: id, apiKeyId, expiresAtMs: Date.now() + aheadMs });
    await read(sign(-10_000), `/v1/executions/${id}`).expect(401);
    const served = await serve(gateway);
    const headers = { Authorization: `Bearer ${sign(60_000)}` };
    const stream = await fetch(`${served.url}/v1/executions/${id}/events`, { headers });
    // As if its minute had passed.
    const passed = { executionId: id, apiKeyId, expiresAtMs: Date.now() - 10_000 };
    const verify = jest.spyOn(tokens, 'verify').mockReturnValue(passed);
    const events = await eventsOf(stream);
    verify.mockRestore();
    expect(events.map(({ event }) => event)).toEqual(['status']);
    await served.close();
  });

  it('ends with its API key, and with the content of its execution', async () => {
    const { id: keyId, value } = await newKey({});
    const id = await create(value);
    const [token, kept] = [await newToken(id, value), await newToken(id)];
    await read(token, `/v1/executions/${id}`).expect(200);
    await gateway.client(key).delete(`/v1/api-keys/${keyId}`).expect(200);
    await until(
      'the token is refused',
      async () => (await read(token, `/v1/executions/${id}`)).status === 401,
    );
    await complete(id);
    const file = await addResultFile(id);
    await gateway.client(key).delete(`/v1/executions/${id}`).expect(200);
    for (const path of ['', '/result', '/events'])
      await read(kept, `/v1/executions/${id}${path}`).expect(410);
    await read(kept, `/v1/files/${file}/download`).expect(404);
    await gateway.client(key).post(`/v1/executions/${id}/token`).expect(410);
  });

  it('can do no more than its key: scopes, models and addresses', async () => {
    const id = await create();
    await complete(id);
    const file = await addResultFile(id);
    const { value: reader } = await newKey({ scopes: ['executions:read'] });
    const token = await newToken(id, reader);
    await read(token, `/v1/executions/${id}`).expect(200);
    await read(token, `/v1/files/${file}/download`).expect(403);
    const { value: writer } = await newKey({ scopes: ['executions:write'] });
    await gateway.client(writer).post(`/v1/executions/${id}/token`).expect(403);
    const { value: painter } = await newKey({ models: ['painter'] });
    await gateway.client(painter).post(`/v1/executions/${id}/token`).expect(404);
    const elsewhere = await newKey({ addresses: ['203.0.113.7'] });
    const claims = { executionId: id, apiKeyId: elsewhere.id, expiresAtMs: Date.now() + 60_000 };
    await read(gateway.context.tokens.sign(claims), `/v1/executions/${id}`).expect(403);
  });

  it('lives from a minute to an hour', async () => {
    const id = await create();
    const ask = (body?: object) => gateway.client(key).post(`/v1/executions/${id}/token`).send(body);
    for (const [body, seconds] of [
      [undefined, 900],
      [{ ttl_seconds: 60 }, 60],
      [{ ttl_seconds: 3600 }, 3600],
    ] as const) {
      const { body: created } = await ask(body).expect(201);
      expect(created.execution_id).toBe(id);
      expect(Math.abs((Date.parse(created.expires_at) - Date.now()) / 1000 - seconds)).toBeLessThan(30);
    }
    for (const ttl of [0, 59, 3601, -1, 60.5, '60']) await ask({ ttl_seconds: ttl }).expect(400);
  });

  it('is refused by a gateway without its signing key, and has a rate limit of its own', async () => {
    const id = await create();
    const token = await newToken(id);
    const other = await openTestGateway(gateway.servers, { RATE_LIMIT_TOKEN_PER_MINUTE: '2' });
    await other.client(token).get(`/v1/executions/${id}`).expect(401);
    await other.close();
    const limited = await openTestGateway(gateway.servers, { RATE_LIMIT_TOKEN_PER_MINUTE: '2' });
    // Without Redis nothing is limited.
    await untilReady(limited.context.redis, 20_000);
    const { apiKeyId } = claimsOf(token);
    const sign = (ahead: number) =>
      limited.context.tokens.sign({ executionId: id, apiKeyId, expiresAtMs: Date.now() + ahead });
    const statuses: number[] = [];
    for (const ahead of [60_000, 61_000, 62_000])
      statuses.push((await limited.client(sign(ahead)).get(`/v1/executions/${id}`)).status);
    expect(statuses).toEqual([200, 200, 429]);
    await limited.client(key).get(`/v1/executions/${id}`).expect(200);
    await limited.close();
  });
});

describe('CORS for execution tokens', () => {
  const preflight = (path: string, method: string) =>
    request(gateway.app).options(path).set({ Origin: page, 'Access-Control-Request-Method': method });

  it('allows preflights of reads, on these paths alone', async () => {
    const { headers } = await preflight('/v1/executions/exec_x', 'GET').expect(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': expect.stringContaining('Authorization'),
    });
    await preflight('/v1/executions/exec_x', 'DELETE').expect(405);
    for (const path of ['/v1/executions', '/v1/balance', '/v1/files/file_x', '/v1/executions/exec_x/token']) {
      const refused = await preflight(path, 'GET').expect(405);
      expect(refused.headers).not.toHaveProperty('access-control-allow-origin');
    }
  });

  it('lets no page read what an API key reads', async () => {
    const id = await create();
    const { headers } = await read(key, `/v1/executions/${id}`).expect(200);
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    const { headers: refused } = await read('ext_x.y', `/v1/executions/${id}`).expect(401);
    expect(refused['access-control-allow-origin']).toBe('*');
  });
});
