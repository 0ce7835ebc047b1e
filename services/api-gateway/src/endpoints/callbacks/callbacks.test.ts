import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startExecutions } from '@holdfast/db/executions/start';
import { callbackQueue } from '@holdfast/queues/definitions';
import { openQueue } from '@holdfast/queues/producer';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { startTestGateway, type TestGateway } from '../../testing/testGateway.ts';
import { applyTestModels } from '../../testing/testModels.ts';
import { organizationWithKey } from '../../testing/testOrganizationWithKey.ts';

let gateway: TestGateway;
let token: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  await applyTestModels(gateway.context.db);
  token = await runningToken();
});

afterAll(async () => {
  await gateway.close();
});

async function runningToken(): Promise<string> {
  const { key } = await organizationWithKey(gateway, { balance: '10' });
  const { body } = await request(gateway.app)
    .post('/v1/executions')
    .auth(key, { type: 'bearer' })
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

describe('POST /v1/callbacks/{provider}/{token}', () => {
  it('keeps the bytes and what signatures are made of, nothing else, and hints at it', async () => {
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

  it('the same callback is stored once, another one beside it', async () => {
    const before = (await stored()).length;
    for (const body of ['{"a":1}', '{"a":1}', '{"a":2}']) await call(token, body).expect(200);
    expect(await stored()).toHaveLength(before + 2);
  });

  it('the same bytes under another signature are stored too: the first may have been a forgery', async () => {
    const before = (await stored()).length;
    const signed = (signature: string) =>
      call(token, '{"b":1}', { 'X-Signature': signature, 'Webhook-Id': 'm' });
    for (const signature of ['forged', 'right', 'right']) await signed(signature).expect(200);
    expect(await stored()).toHaveLength(before + 2);
  });

  it('whoever knows a token can not fill the inbox: what is beyond is refused, other tokens are not', async () => {
    const known = await runningToken();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => call(known, `{"forgery":${index}}`)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
    const { body, headers } = await call(known, '{"forgery":41}').expect(429);
    expect([body.error.code, headers['retry-after']]).toEqual(['RATE_LIMITED', '15']);
    const kept = (await stored()).filter((callback) => callback.token === known);
    expect(kept.length).toBeLessThan(40);
    await call(await runningToken(), '{}').expect(200);
  });

  it("a token that is nobody's is refused before the body has come", async () => {
    const server = gateway.app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const sending = httpRequest({
      port: (server.address() as AddressInfo).port,
      method: 'POST',
      path: `/v1/callbacks/sandbox/${'0'.repeat(64)}`,
      headers: { 'content-length': 8_000_000 },
    });
    sending.on('error', () => {}).write('{');
    const [answer] = (await once(sending, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(404);
    sending.destroy();
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });

  it('a token under the name of another provider is 404 and stores nothing', async () => {
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

  it('an unknown token is 404 and stores nothing', async () => {
    const before = (await stored()).length;
    const { body } = await call('0'.repeat(64), '{}').expect(404);
    expect(body.error.code).toBe('NOT_FOUND');
    await call('%00', '{}').expect(404);
    expect(await stored()).toHaveLength(before);
  });

  it('8 MiB are taken, more is 413', async () => {
    await call(token, Buffer.alloc(8_388_608, 'x')).expect(200);
    const { body } = await call(token, Buffer.alloc(8_388_609, 'x')).expect(413);
    expect(body.error.code).toBe('PAYLOAD_TOO_LARGE');
  });
});
