import { until } from '@holdfast/testkit/until';
import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { boundsFor, unbounded } from '../../access/keyBounds.ts';
import { issueApiKey } from '../../access/newKeys.ts';
import {
  gatewayOfTests,
  openTestGateway,
  organizationWithKey,
  type TestGateway,
} from '../../testing/testGateway.ts';

const gateway = await gatewayOfTests();
const { key, organizationId } = await organizationWithKey(gateway, { balance: '100' });

const body = { model: 'writer', input: { prompt: 'a' } };

function create(prefer: string, { as = key, idempotencyKey = '', of = gateway } = {}) {
  const sent = of.client(as).post('/v1/executions').set('Prefer', prefer);
  if (idempotencyKey) sent.set('Idempotency-Key', idempotencyKey);
  return sent.send(body);
}

const isWaiting = ({ context }: TestGateway = gateway) =>
  until('a request waits', () => context.watcher.size() === 1);

const executions = () => gateway.context.db.prisma.execution;
async function latest(): Promise<string> {
  return (await executions().findFirstOrThrow({ orderBy: { id: 'desc' } })).id;
}
const complete = (id: string) =>
  executions().update({
    where: { id },
    data: { status: 'COMPLETED', completedAt: new Date(), cost: '0.01', output: { text: 'hello' } },
  });

describe('POST /v1/executions', () => {
  it('returns the URLs of the execution, which lead to it', async () => {
    const { body: created, headers } = await create('respond-async').expect(202);
    const self = `http://gateway.test/v1/executions/${created.id}`;
    const urls = {
      self,
      result: `${self}/result`,
      events: `${self}/events`,
      stream: `${self}/stream`,
      cancel: `${self}/cancel`,
    };
    expect(created.urls).toEqual(urls);
    expect(headers['location']).toBe(self);
    expect(headers).not.toHaveProperty('preference-applied');
    const client = gateway.client(key);
    const path = (url: string) => url.replace('http://gateway.test', '');
    expect((await client.get(path(self)).expect(200)).body.urls).toEqual(urls);
    await client.get(path(urls.result)).expect(409);
    expect((await client.post(path(urls.cancel)).expect(200)).body).toMatchObject({ urls, logs: null });
  });

  it('takes the address of the request where PUBLIC_URL is not set, unless that is not an address', async () => {
    const s3 = { FILE_STORE: 's3', S3_ENDPOINT: 'http://127.0.0.1:1', S3_BUCKET: 'b', S3_ACCESS_KEY: 'a' };
    const other = await openTestGateway(gateway.servers, {
      ...s3,
      S3_SECRET_KEY: 's',
      PUBLIC_URL: '',
      TRUST_PROXY: '1',
    });
    const sent = (host: string) =>
      request(other.app).post('/v1/executions').auth(key, { type: 'bearer' }).set('Host', host);
    const direct = await sent('api.example.com').send(body).expect(202);
    expect(direct.headers['location']).toBe(`http://api.example.com/v1/executions/${direct.body.id}`);
    const proxied = await sent('api.example.com').set('X-Forwarded-Proto', 'https').send({}).expect(400);
    expect(proxied.body.error.doc_url).toBe('https://api.example.com/docs/errors/INPUT_VALIDATION_ERROR');
    for (const host of ['a b', 'user@evil.example', 'evil.example/path', '"><script>']) {
      const { headers, body: created } = await sent(host).send(body).expect(202);
      expect(headers['location']).toBe(`/v1/executions/${created.id}`);
    }
    await other.close();
  });
});

describe('Prefer: wait on a create', () => {
  it('holds the response until the execution has ended, without the memory of the body', async () => {
    const sent = create('wait=60').then((response) => response);
    await isWaiting();
    expect(gateway.context.bodies.heldBytes()).toBe(0);
    const id = await latest();
    await complete(id);
    const { status, headers, body: ended } = await sent;
    expect([status, headers['preference-applied']]).toEqual([202, 'wait=60']);
    expect(headers['location']).toBe(ended.urls.self);
    expect(ended).toMatchObject({ id, status: 'COMPLETED', result: { text: 'hello' }, hold_amount: '0.012' });
    expect(gateway.context.watcher.size()).toBe(0);
  });

  it('returns the open execution when the time is over', async () => {
    const { headers, body: open } = await create('wait=1').expect(202);
    expect(headers['preference-applied']).toBe('wait=1');
    expect(open).toMatchObject({ status: 'PENDING', mode: 'ASYNC', logs: null });
  });

  it('holds the response to a repeated request as well, and not at all once the execution has ended', async () => {
    const { body: first } = await create('', { idempotencyKey: 'a' }).expect(202);
    const again = create('wait=60', { idempotencyKey: 'a' }).then((response) => response);
    await isWaiting();
    await complete(first.id);
    for (const { status, headers, body: ended } of [
      await again,
      await create('wait=60', { idempotencyKey: 'a' }),
    ]) {
      expect(ended).toMatchObject({ id: first.id, status: 'COMPLETED', result: { text: 'hello' } });
      expect([status, headers['idempotent-replayed'], headers['preference-applied']]).toEqual([
        202,
        'true',
        'wait=60',
      ]);
    }
  });

  it('is not for keys that may not read executions', async () => {
    const bounds = boundsFor(unbounded, { name: 'w', scopes: ['executions:write'] });
    const { value } = await issueApiKey(gateway.context.db, { organizationId, name: 'w', bounds });
    const { headers, body: created } = await create('wait=60', { as: value }).expect(202);
    expect(headers).not.toHaveProperty('preference-applied');
    expect(created).not.toHaveProperty('mode');
  });

  it('gives a key that was revoked meanwhile the id, and nothing more', async () => {
    const { id: keyId, value } = await issueApiKey(gateway.context.db, {
      organizationId,
      name: 'r',
      bounds: boundsFor(unbounded, { name: 'r' }),
    });
    const other = await openTestGateway(gateway.servers);
    const sent = create('wait=60', { as: value, of: other }).then((response) => response);
    await isWaiting(other);
    const id = await latest();
    await gateway.client(key).delete(`/v1/api-keys/${keyId}`).expect(200);
    await until(
      'the key is refused',
      async () => (await other.client(value).get('/v1/balance')).status === 401,
    );
    await complete(id);
    const { status, headers, body: created } = await sent;
    expect([status, created.id, created.status]).toEqual([202, id, 'PENDING']);
    expect(created).not.toHaveProperty('result');
    expect(headers).not.toHaveProperty('preference-applied');
    await other.close();
  });

  it('ends when the gateway stops', async () => {
    const other = await openTestGateway(gateway.servers);
    const sent = create('wait=60', { of: other }).then((response) => response);
    await isWaiting(other);
    other.context.watcher.close();
    expect((await sent).body).toMatchObject({ status: 'PENDING' });
    await other.close();
  });
});

describe('doc_url', () => {
  it('leads to the page of the code', async () => {
    const { body: refused } = await gateway.client(key).get('/v1/nothing').expect(404);
    expect(refused.error.doc_url).toBe('http://gateway.test/docs/errors/NOT_FOUND');
    // Built or not, the page names the code.
    const { text } = await request(gateway.app).get('/docs/errors/NOT_FOUND');
    expect(text).toMatch(/NOT_FOUND.*HTTP 404|HTTP 404[^]*NOT_FOUND/);
  });
});
