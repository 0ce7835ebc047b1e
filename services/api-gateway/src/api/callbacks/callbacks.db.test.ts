import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { startExecutions } from '@holdfast/db/executions/start';
import { callbackQueue } from '@holdfast/queues/definitions';
import { openQueue } from '@holdfast/queues/producer';
import { until } from '@holdfast/testkit/until';
import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import request from 'supertest';
import { gatewayOfTests, organizationWithKey } from '../../testing/testGateway.ts';

const gateway = await gatewayOfTests();
let token: string;

beforeAll(async () => {
  token = await runningToken();
});

async function runningToken(): Promise<string> {
  const { key } = await organizationWithKey(gateway, { balance: '10' });
  const { body } = await gateway
    .client(key)
    .post('/v1/executions')
    .send({ model: 'writer', input: { prompt: 'a' } })
    .expect(202);
  const [started] = await startExecutions(
    gateway.context.db,
    [{ id: body.id, connection: 'sandbox', target: 'm' }],
    30,
  );
  if (!started) throw new Error('the execution did not start');
  return started.attemptToken;
}

const stored = () => gateway.context.db.prisma.providerCallback.findMany({ orderBy: { receivedAt: 'asc' } });
const call = (to: string, body: Buffer | string, headers: Record<string, string> = {}) =>
  request(gateway.app)
    .post(`/v1/callbacks/sandbox/${to}`)
    .set({ 'Content-Type': 'application/octet-stream', ...headers })
    .serialize((same) => same)
    .send(body);

/** A callback over a connection of its own, of which the first byte is sent. */
async function beginCallback(to: string, sizeBytes: number) {
  const server = gateway.app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sending = httpRequest({
    port: (server.address() as AddressInfo).port,
    method: 'POST',
    path: `/v1/callbacks/sandbox/${to}`,
    headers: { 'content-length': sizeBytes },
  });
  let status: number | undefined;
  sending.on('response', (response) => {
    status = response.statusCode;
  });
  sending.on('error', () => {}).write('{');
  return {
    request: sending,
    status: () => status,
    async close() {
      sending.destroy();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

describe('POST /v1/callbacks/{provider}/{token}', () => {
  it('stores the bytes and the signed headers only, and adds a hint', async () => {
    const bytes = Buffer.from([0, 255, 254, 123]);
    const headers = {
      'Webhook-Id': 'msg_1',
      'X-Fal-Webhook-Signature': 'ab',
      'X-Hub-Signature-256': 'sha256=cd',
      Authorization: 'Bearer secret',
      Cookie: 'a=b',
    };
    const { body } = await call(token, bytes, headers).expect(200);
    expect(body).toEqual({ received: true });
    const [callback] = await stored();
    expect(Buffer.from(callback?.body ?? []).equals(bytes)).toBe(true);
    expect(callback?.headers).toEqual({
      'content-type': 'application/octet-stream',
      'webhook-id': 'msg_1',
      'x-fal-webhook-signature': 'ab',
      'x-hub-signature-256': 'sha256=cd',
    });
    expect(callback?.provider).toBe('sandbox');
    expect(await openQueue(callbackQueue.name, gateway.context.redis)().getWaitingCount()).toBeGreaterThan(0);
  });

  it('decompresses a compressed callback, and counts what it becomes', async () => {
    const running = await runningToken();
    const gzip = { 'Content-Encoding': 'gzip' };
    await call(running, gzipSync('{"state":"done"}'), gzip).expect(200);
    const [callback] = (await stored()).filter((one) => one.token === running);
    const object = await gateway.context.store.read(callback?.objectKey ?? '');
    expect(String(await buffer(object))).toBe('{"state":"done"}');
    await call(running, gzipSync(Buffer.alloc(150 * 1024 * 1024)), gzip).expect(413);
    await call(running, Buffer.from('{}'), gzip).expect(400);
    await call(running, gzipSync('{}'), { 'Content-Encoding': 'lzma' }).expect(415);
  });

  it('stores the same callback once, and another one as well', async () => {
    const before = (await stored()).length;
    for (const body of ['{"a":1}', '{"a":1}', '{"a":2}']) await call(token, body).expect(200);
    expect(await stored()).toHaveLength(before + 2);
  });

  it('stores the same bytes with another signature as well, because the first may be forged', async () => {
    const before = (await stored()).length;
    const signed = (signature: string) =>
      call(token, '{"b":1}', { 'X-Signature': signature, 'Webhook-Id': 'm' });
    for (const signature of ['forged', 'right', 'right']) await signed(signature).expect(200);
    expect(await stored()).toHaveLength(before + 2);
  });

  it('refuses callbacks beyond the limit of one token, but not those of other tokens', async () => {
    const known = await runningToken();
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, index) => call(known, `{"forgery":${index}}`)),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 429]));
    const { body, headers } = await call(known, '{"forgery":41}').expect(429);
    expect([body.error.code, headers['retry-after']]).toEqual(['RATE_LIMITED', '15']);
    const kept = (await stored()).filter((callback) => callback.token === known);
    expect(kept.length).toBeLessThan(40);
    await call(await runningToken(), '{}').expect(200);
  });

  it.each([9_000_000, 8_000_000])(
    'leaves memory for other attempts while one sends many bodies of %d bytes slowly',
    async (sizeBytes) => {
      const slow = await runningToken();
      const sending = await Promise.all(Array.from({ length: 40 }, () => beginCallback(slow, sizeBytes)));
      try {
        await until('a body is refused', () => sending.some(({ status }) => status() === 429));
        await call(await runningToken(), '{}').expect(200);
        await call(await runningToken(), Buffer.alloc(sizeBytes, 'x')).expect(200);
      } finally {
        await Promise.all(sending.map(({ close }) => close()));
      }
    },
  );

  it('refuses an unknown token before the body arrives', async () => {
    for (const sizeBytes of [8_000_000, 80_000_000]) {
      const sending = await beginCallback('0'.repeat(64), sizeBytes);
      const [response] = (await once(sending.request, 'response')) as [IncomingMessage];
      expect(response.statusCode).toBe(404);
      await sending.close();
    }
  });

  it('returns 404 and stores nothing for a token of another provider', async () => {
    const known = await runningToken();
    for (const provider of ['another', 'Sandbox', '%00']) {
      const { body } = await request(gateway.app)
        .post(`/v1/callbacks/${provider}/${known}`)
        .send({})
        .expect(404);
      expect(body.error.code).toBe('NOT_FOUND');
    }
    expect((await stored()).filter((callback) => callback.token === known)).toEqual([]);
    await call(known, '{}').expect(200);
  });

  it('returns 404 and stores nothing for an unknown token', async () => {
    const before = (await stored()).length;
    const { body } = await call('0'.repeat(64), '{}').expect(404);
    expect(body.error.code).toBe('NOT_FOUND');
    await call('%00', '{}').expect(404);
    expect(await stored()).toHaveLength(before);
  });

  it('stores a callback of 8 MiB in its row', async () => {
    await call(token, Buffer.alloc(8_388_608, 'x')).expect(200);
    expect((await stored()).at(-1)).toMatchObject({ objectKey: null });
  });
});

describe('a callback of more than 8 MiB', () => {
  const body = Buffer.alloc(12 * 1024 * 1024, 'x');
  const objects = () =>
    readdirSync(gateway.servers.folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
  const storedOf = async (of: string) => (await stored()).filter((callback) => callback.token === of);
  const filesOf = async (of: string) => {
    const { executionId } = await gateway.context.db.prisma.attempt.findUniqueOrThrow({
      where: { token: of },
    });
    return await gateway.context.db.prisma.file.findMany({ where: { executionId } });
  };
  let large: string;
  let objectsBefore: number;

  beforeEach(async () => {
    large = await runningToken();
    objectsBefore = objects().length;
  });

  it('is stored once in the object store, as a file that expires in a day', async () => {
    await call(large, body).expect(200);
    await call(large, body).expect(200);
    const [callback, ...others] = await storedOf(large);
    expect(others).toEqual([]);
    expect(callback?.body).toBeNull();
    const file = (await filesOf(large)).find(({ id }) => id === callback?.objectKey);
    const hoursLeft = (Number(file?.expiresAt) - Date.now()) / 3_600_000;
    expect(Math.round(hoursLeft)).toBe(24);
    const kept = await buffer(await gateway.context.store.read(callback?.objectKey ?? ''));
    expect(kept.equals(body)).toBe(true);
    expect(objects()).toHaveLength(objectsBefore + 1);
    expect((await filesOf(large)).map(({ state }) => state).toSorted()).toEqual([
      'awaiting_upload',
      'deleted',
    ]);
  });

  it('is stored even if it does not declare its length', async () => {
    const chunked = request(gateway.app).post(`/v1/callbacks/sandbox/${large}`);
    for (let sent = 0; sent < body.length; sent += 65_536)
      chunked.write(body.subarray(sent, sent + 65_536).toString());
    await chunked.expect(200);
    const [callback] = await storedOf(large);
    const kept = await buffer(await gateway.context.store.read(callback?.objectKey ?? ''));
    expect(kept.equals(body)).toBe(true);
  });

  it('is refused unread beyond 128 MiB, with a log line that names the execution', async () => {
    const logged = jest.spyOn(gateway.context.log, 'warn');
    const sending = await beginCallback(large, 134_217_729);
    const [response] = (await once(sending.request, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(413);
    const executionId = expect.stringMatching(/^exec_/);
    expect(logged).toHaveBeenCalledWith(expect.objectContaining({ executionId }), 'callback refused');
    logged.mockRestore();
    await sending.close();
    expect(await filesOf(large)).toEqual([]);
  });

  it('that is interrupted leaves nothing behind', async () => {
    const sending = await beginCallback(large, body.length);
    sending.request.write(body.subarray(0, 9_000_000));
    await until(
      'it is being stored',
      async () => (await filesOf(large)).length === 1 && objects().length > objectsBefore,
    );
    await sending.close();
    await until('its file is gone', async () => (await filesOf(large))[0]?.state === 'deleted');
    expect(objects()).toHaveLength(objectsBefore);
    expect(await storedOf(large)).toEqual([]);
  });

  it('of a settled attempt is not stored', async () => {
    await gateway.context.db.pool.query('UPDATE attempts SET settled_at = now() WHERE token = $1', [large]);
    await call(large, body).expect(200);
    expect([await filesOf(large), await storedOf(large)]).toEqual([[], []]);
  });

  it('is refused when four of the same attempt are stored', async () => {
    const numbered = (index: number) => Buffer.concat([body, Buffer.from(String(index))]);
    for (let index = 0; index < 4; index++) await call(large, numbered(index)).expect(200);
    await call(large, numbered(4)).expect(429);
    await call(large, '{}').expect(200);
    expect(objects()).toHaveLength(objectsBefore + 4);
  });
});
