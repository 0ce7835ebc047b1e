import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { parseConfig } from '@holdfast/kit/config';
import { createLogger } from '@holdfast/kit/logger';
import { createTestDatabase } from '@holdfast/testkit/testDatabase';
import { testFolder } from '@holdfast/testkit/testFolder';
import { testRedisUrl } from '@holdfast/testkit/testRedis';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import express from 'express';
import { gatewayConfig } from './context/config.ts';
import { listen } from './http/listen.ts';
import { type Gateway, startGateway } from './start.ts';

const adminToken = 'an-admin-token-for-tests';
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let gateway: Gateway;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await start(database.url);
});

afterAll(async () => {
  await gateway.stop();
  await database.drop();
});

async function start(databaseUrl: string, settings: Record<string, string> = {}): Promise<Gateway> {
  const config = parseConfig(gatewayConfig, {
    DATABASE_URL: databaseUrl,
    REDIS_URL: testRedisUrl(),
    PORT: '0',
    ADMIN_PORT: '0',
    ADMIN_TOKEN: adminToken,
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    FILE_DISK_PATH: testFolder('files'),
    FILE_URL_SECRET: 'a secret for the tests',
    PUBLIC_URL: 'http://gateway.test',
    ...settings,
  });
  return await startGateway({ config, log: createLogger('test', 'silent') });
}

/** The response to these bytes, until the connection ends. */
function exchange(bytes: string, until = /\r\n\r\n[^]*\}$/): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1', () => socket.write(bytes));
    let response = '';
    socket.on('data', (chunk) => {
      response += chunk.toString();
      if (until.test(response)) socket.end();
    });
    socket.on('close', () => resolve(response));
    socket.on('error', reject);
  });
}

describe('the gateway as a process', () => {
  it.each([
    ['bytes that are not HTTP', 'GIBBERISH\r\n\r\n', 400, 'INPUT_VALIDATION_ERROR'],
    [
      'headers that are too long',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
      413,
      'PAYLOAD_TOO_LARGE',
    ],
    [
      'a header with a NUL',
      'GET /v1/models HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n',
      400,
      'INPUT_VALIDATION_ERROR',
    ],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na',
      400,
      'INPUT_VALIDATION_ERROR',
    ],
    ['CONNECT', 'CONNECT x.test:443 HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
    ['no Host', 'GET /v1/models HTTP/1.1\r\n\r\n', 400, 'INPUT_VALIDATION_ERROR'],
    ['two Hosts', 'GET /v1/models HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n', 400, 'INPUT_VALIDATION_ERROR'],
    [
      'two keys',
      'GET /v1/models HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n',
      400,
      'INPUT_VALIDATION_ERROR',
    ],
    [
      'two idempotency keys',
      'POST /v1/executions HTTP/1.1\r\nHost: x\r\nIdempotency-Key: a\r\nIdempotency-Key: b\r\nContent-Length: 0\r\n\r\n',
      400,
      'INPUT_VALIDATION_ERROR',
    ],
    ['no Host in HTTP/1.0', 'GET /v1/models HTTP/1.0\r\n\r\n', 401, 'UNAUTHENTICATED'],
    [
      'an unknown Expect',
      'GET /v1/models HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n',
      401,
      'UNAUTHENTICATED',
    ],
    ['a path of *', 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n', 404, 'NOT_FOUND'],
    ['a URL that is none', 'GET http://[::1/ HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'INPUT_VALIDATION_ERROR'],
    ['a path that can not be decoded', 'GET /docs/%ff HTTP/1.1\r\nHost: x\r\n\r\n', 404, 'NOT_FOUND'],
    ['an absolute URL', 'GET http://evil.test/v1/nothing HTTP/1.1\r\nHost: x\r\n\r\n', 404, 'NOT_FOUND'],
  ])('responds to %s with an error of the API', async (_name, bytes, status, code) => {
    const response = await exchange(bytes);
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    for (const header of [
      'x-request-id: req_',
      'x-ratelimit-limit: 3000',
      'x-ratelimit-remaining: ',
      'x-ratelimit-reset: ',
    ]) {
      expect(response.toLowerCase()).toContain(header);
    }
    expect(JSON.parse(response.slice(response.indexOf('{')))).toMatchObject({ error: { code } });
  });

  it.each([
    ['too large by far', {}, 20_000_000, 401],
    ['without a key', {}, 3_000_000, 401],
    ['of the operator, too large', { Authorization: `Bearer ${adminToken}` }, 20_000_000, 413],
    ['compressed', { Authorization: `Bearer ${adminToken}`, 'Content-Encoding': 'gzip' }, 3_000_000, 415],
  ])('a body %s gets a response, and the connection stays open', async (_name, headers, bytes, status) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const path = `${gateway.adminUrl}/admin/v1/organizations`;
    const send = (body: string) =>
      new Promise<{ status: number | undefined; port: number | undefined }>((resolve, reject) => {
        const sent = request(path, {
          method: 'POST',
          agent,
          headers: { ...headers, 'Content-Type': 'application/json' },
        });
        sent.on('response', (response) => {
          const port = response.socket.localPort;
          response.resume().on('end', () => resolve({ status: response.statusCode, port }));
        });
        sent.on('error', reject);
        sent.end(body);
      });
    const first = await send('x'.repeat(bytes));
    expect(first.status).toBe(status);
    const second = await send('[]');
    expect(second.port).toBe(first.port);
    agent.destroy();
  });

  it('adds no error to a response that is being sent', async () => {
    const app = express().use((_request, response) => void response.write('a part'));
    const serving = await listen(app, { host: '127.0.0.1', port: 0 }, 3000);
    const socket = connect(serving.port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => {
      if (received === '') socket.write('GIBBERISH\r\n\r\n');
      received += chunk.toString();
    });
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'close');
    await serving.close();
    expect(received).toMatch(/a part\r\n$/);
  });

  it('responds at once to a client that asked to close, and reads its body to the end', async () => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    const ended = once(socket, 'close');
    const head = ['POST /v1/executions HTTP/1.1', 'Host: x', 'Connection: close', 'Content-Length: 3000000'];
    socket.write(`${head.join('\r\n')}\r\n\r\n${'x'.repeat(1_000_000)}`);
    const [response] = await once(socket, 'data');
    expect(String(response)).toMatch(/^HTTP\/1\.1 401 [^]*UNAUTHENTICATED/);
    socket.resume();
    for (let sent = 1; sent < 3; sent++) {
      await new Promise<void>((resolve, reject) => {
        socket.write('x'.repeat(1_000_000), (error) => (error ? reject(error) : resolve()));
      });
      await fetch(`${gateway.metricsUrl}/healthz`);
    }
    const [hadError] = await ended;
    expect(hadError).toBe(false);
  });

  it('is alive and ready, and shows metrics', async () => {
    for (const path of ['/healthz', '/readyz']) {
      expect((await fetch(`${gateway.metricsUrl}${path}`)).status).toBe(200);
    }
    await fetch(`${gateway.url}/v1/models`);
    const metrics = await (await fetch(`${gateway.metricsUrl}/metrics`)).text();
    expect(metrics).toMatch(/holdfast_http_request_seconds_count\{.*route="\/v1\/models",status="401"/);
  });

  it('is not ready while its clock is far from that of the database', async () => {
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now - 4 * 86_400_000);
    const response = await fetch(`${gateway.metricsUrl}/readyz`).finally(() => clock.mockRestore());
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      problems: { clock: expect.stringMatching(/5760 minutes off the database's/) },
    });
  });

  it('keeps idle connections for longer than proxies do', async () => {
    const { headers } = await fetch(`${gateway.url}/v1/models`);
    const [, seconds] = /timeout=(\d+)/.exec(headers.get('keep-alive') ?? '') ?? [];
    expect(Number(seconds)).toBeGreaterThan(60);
  });

  it('serves the admin API on its own port', async () => {
    const headers = { Authorization: `Bearer ${adminToken}` };
    expect((await fetch(`${gateway.adminUrl}/admin/v1/organizations`, { headers })).status).toBe(200);
    expect((await fetch(`${gateway.url}/admin/v1/organizations`, { headers })).status).toBe(404);
  });

  it('keeps serving for STOP_DELAY_S while it stops', async () => {
    // Long, for all of this to come within it on a busy machine.
    const other = await start(database.url, { STOP_DELAY_S: '8' });
    expect((await fetch(`${other.url}/v1/models`)).headers.get('connection')).toBe('keep-alive');
    const stopped = other.stop();
    expect((await fetch(`${other.metricsUrl}/readyz`)).status).toBe(503);
    const response = await fetch(`${other.url}/v1/models`);
    expect([response.status, response.headers.get('connection')]).toEqual([401, 'close']);
    await stopped;
    await expect(fetch(`${other.url}/v1/models`)).rejects.toThrow();
  });

  it('stops listening and finishes the requests in flight', async () => {
    const other = await start(database.url);
    const body = JSON.stringify({ name: 'late' });
    const head = [
      'POST /admin/v1/organizations HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${adminToken}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Expect: 100-continue',
    ];
    const socket = connect(Number(new URL(other.adminUrl).port), '127.0.0.1');
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    const [taken] = await once(socket, 'data');
    expect(String(taken)).toMatch(/^HTTP\/1\.1 100 /);

    const stopped = other.stop();
    await expect(fetch(`${other.url}/v1/models`)).rejects.toThrow();
    expect((await fetch(`${other.metricsUrl}/readyz`)).status).toBe(503);
    socket.write(body);
    const [response] = await once(socket, 'data');
    expect(String(response)).toMatch(/^HTTP\/1\.1 201 /);
    await stopped;
  });

  it('stops despite idle connections, and responds to requests that are already on their way', async () => {
    const other = await start(database.url);
    const open = async (url: string) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      await once(socket, 'connect');
      return { socket, gone: once(socket.resume(), 'close') };
    };
    const silent = await Promise.all([other.url, other.adminUrl, other.metricsUrl].map(open));
    const { socket: slow, gone } = await open(other.url);
    slow.write('GET /v1/models HTTP/1.1\r\nHo');
    // Its bytes have come: they were sent before this was.
    await fetch(`${other.url}/v1/models`);
    const stopped = other.stop();
    slow.write('st: x\r\n\r\n');
    const [response] = await once(slow, 'data');
    expect(String(response)).toMatch(/^HTTP\/1\.1 401 [^]*connection: close/i);
    await Promise.all([stopped, gone, ...silent.map((one) => one.gone)]);
  });
});
