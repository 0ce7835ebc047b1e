import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { newApiKey } from '@holdfast/domain/apiKey';
import { testFolder } from '@holdfast/testkit/testFolder';
import { testRedisUrl } from '@holdfast/testkit/testRedis';
import { describe, expect, it, jest } from '@jest/globals';
import request from 'supertest';
import { gatewayOfTests, openTestGateway, organizationWithKey } from '../testing/testGateway.ts';

const gateway = await gatewayOfTests();

describe('the log of a request', () => {
  it('is one line with ids, route and status, never a body, a query or a key', async () => {
    const { key, organizationId } = await organizationWithKey(gateway, { balance: '1' });
    const info = jest.spyOn(gateway.context.log, 'info');
    const { body, headers } = await gateway
      .client(key)
      .post('/v1/executions')
      .send({ model: 'writer', input: { prompt: 'a private prompt' } })
      .expect(202);
    await gateway.client(key).get(`/v1/executions/${body.id}?wait=0`).expect(200);
    expect(info.mock.calls.map(([fields]) => fields)).toEqual([
      {
        requestId: headers['x-request-id'],
        method: 'POST',
        route: '/v1/executions',
        status: 202,
        durationMs: expect.any(Number),
        organizationId,
        executionId: body.id,
      },
      expect.objectContaining({
        method: 'GET',
        route: '/v1/executions/{id}',
        status: 200,
        executionId: body.id,
      }),
    ]);
    expect(JSON.stringify(info.mock.calls)).not.toMatch(/private prompt|wait=|sk_/);
    info.mockRestore();
  });

  it('has the error of an unexpected 500, which the response does not reveal', async () => {
    const error = jest.spyOn(gateway.context.log, 'error');
    const list = jest.spyOn(gateway.context.models, 'list').mockRejectedValue(new Error('the inner secret'));
    const { key } = await organizationWithKey(gateway);
    const { status, body, text, headers } = await gateway.client(key).get('/v1/models');
    expect([status, body.error.code, body.error.retryable]).toEqual([500, 'INTERNAL_ERROR', false]);
    expect(text).not.toMatch(/inner secret|at /);
    expect(headers['x-ratelimit-limit']).toBe('3000');
    expect(error.mock.calls[0]?.[0]).toMatchObject({ requestId: body.error.request_id, route: '/v1/models' });
    list.mockRestore();
    error.mockRestore();
  });

  it('has no error when a client disconnects in the middle of its body', async () => {
    const { key } = await organizationWithKey(gateway);
    const error = jest.spyOn(gateway.context.log, 'error');
    const info = jest.spyOn(gateway.context.log, 'info');
    const server = createServer(gateway.app).listen(0);
    const socket = connect((server.address() as AddressInfo).port);
    socket.write(
      `POST /v1/executions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n`,
    );
    await once(socket, 'data');
    const reported = new Promise<unknown>((resolve) =>
      info.mockImplementation((fields: unknown) => resolve(fields)),
    );
    socket.destroy();
    expect(await reported).toMatchObject({ route: '/v1/executions', status: 499 });
    expect(error).not.toHaveBeenCalled();
    server.close();
    info.mockRestore();
    error.mockRestore();
  });
});

it('every response is 503 SERVICE_UNAVAILABLE with all headers while the database is unavailable', async () => {
  const unavailable = await openTestGateway({
    databaseUrl: 'postgresql://user:x@127.0.0.1:9/none',
    redisUrl: testRedisUrl(),
    folder: testFolder('files'),
  });
  try {
    for (const path of ['/v1/executions', '/v1/models', '/v1/balance']) {
      const { status, body, headers } = await request(unavailable.app)
        .get(path)
        .auth(newApiKey(), { type: 'bearer' });
      expect([status, body.error.code, body.error.retryable]).toEqual([503, 'SERVICE_UNAVAILABLE', true]);
      expect(headers['x-ratelimit-limit']).toBe('3000');
      expect(headers['retry-after']).toBe('2');
    }
  } finally {
    await unavailable.close();
  }
});
