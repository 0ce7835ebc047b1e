import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type Connections, createConnections } from './connections.ts';
import { type Call, exchange } from './exchange.ts';
import { listenRaw, startTestServer } from './testing/servers.ts';

const open: { close(): unknown }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((resource) => resource.close()));
});

function connections(): Connections {
  const created = createConnections();
  open.push(created);
  return created;
}

const call = (origin: string, options: Partial<Call> = {}): Call => ({
  origin,
  path: '/',
  method: 'POST',
  headers: {},
  body: '{"a":1}',
  timeoutMs: 10_000,
  maxResponseBytes: 100_000,
  signal: undefined,
  ...options,
});

const reply = (headers = '') => `HTTP/1.1 200 OK\r\n${headers}content-length: 2\r\n\r\n{}`;
const requestsIn = (text: string) => text.split('POST / HTTP/1.1').length - 1;

const closed = (socket: Socket | undefined) =>
  new Promise<void>((resolve) => {
    if (socket === undefined || socket.closed) resolve();
    else socket.once('close', () => resolve());
  });

async function serveRaw(...handlers: Parameters<typeof listenRaw>) {
  const server = await listenRaw(...handlers);
  open.push(server);
  return server;
}

describe('a connection', () => {
  it('is opened for each of 600 concurrent requests, and serves the next 600', async () => {
    const waiting: (() => void)[] = [];
    const dialled = new Set<Socket>();
    const server = await startTestServer((req, res) => {
      dialled.add(req.socket);
      waiting.push(() => res.end('{}'));
      if (waiting.length === 600) for (const end of waiting.splice(0)) end();
    });
    open.push(server);
    const pool = connections();
    for (let round = 0; round < 2; round += 1) {
      const results = await Promise.all(
        Array.from({ length: 600 }, () => exchange(pool, call(server.url, { timeoutMs: 60_000 }))),
      );
      expect(results.filter(({ ok }) => ok)).toHaveLength(600);
    }
    expect(dialled.size).toBe(600);
  });

  it('is not reused when the peer has closed it between requests', async () => {
    const server = await serveRaw((socket) => socket.end(reply()));
    const pool = connections();
    for (let i = 0; i < 5; i++) {
      expect(await exchange(pool, call(server.url))).toMatchObject({ ok: true, status: 200 });
      await closed(server.sockets[i]);
    }
    expect(server.received.map(requestsIn)).toEqual([1, 1, 1, 1, 1]);
  });

  it('does not resend a request when it is closed during it', async () => {
    const server = await serveRaw((socket, received) => {
      if (requestsIn(received) === 1) socket.write(reply());
      else socket.destroy();
    });
    const pool = connections();
    expect(await exchange(pool, call(server.url))).toMatchObject({ ok: true });
    expect(await exchange(pool, call(server.url))).toMatchObject({ ok: false, progress: 'sent' });
    expect(server.received.map(requestsIn)).toEqual([2]);
  });

  it('is dialled once when the peer closes it at once', async () => {
    const server = await serveRaw(undefined, (socket) => socket.destroy());
    expect(await exchange(connections(), call(server.url))).toMatchObject({
      ok: false,
      cause: expect.any(Error),
    });
    expect(server.sockets).toHaveLength(1);
  });

  it('is closed when it stays idle, and the next request dials another', async () => {
    const server = await serveRaw((socket) => socket.write(reply()));
    const pool = connections();
    await exchange(pool, call(server.url));
    await closed(server.sockets[0]);
    expect(await exchange(pool, call(server.url))).toMatchObject({ ok: true });
    expect(server.sockets).toHaveLength(2);
  });

  it.each([
    ['keep-alive: timeout=1\r\n', 2],
    ['connection: close\r\n', 2],
    ['keep-alive: timeout=5\r\n', 1],
  ])('respects %j', async (header, dialled) => {
    const server = await serveRaw((socket) => socket.write(reply(header)));
    const pool = connections();
    expect(await exchange(pool, call(server.url))).toMatchObject({ ok: true });
    expect(await exchange(pool, call(server.url))).toMatchObject({ ok: true });
    expect(server.sockets).toHaveLength(dialled);
  });

  it('is replaced after a minute, so that its name is looked up anew', async () => {
    const server = await serveRaw((socket) => socket.write(reply()));
    let nowMs = 0;
    const pool = createConnections(undefined, () => nowMs);
    open.push(pool);
    const dialled: number[] = [];
    for (nowMs of [0, 59_999, 60_000, 60_001, 119_999]) {
      expect(await exchange(pool, call(server.url))).toMatchObject({ ok: true });
      dialled.push(server.sockets.length);
    }
    expect(dialled).toEqual([1, 1, 1, 2, 2]);
  });

  it.each([204, 304])('is reused after a %s without a body', async (status) => {
    const server = await serveRaw((socket) => socket.write(`HTTP/1.1 ${status} None\r\n\r\n`));
    const pool = connections();
    for (let i = 0; i < 2; i++) {
      expect(await exchange(pool, call(server.url))).toMatchObject({ status, body: Buffer.alloc(0) });
    }
    expect(server.sockets).toHaveLength(1);
  });

  it('is closed with its owner, in flight or idle', async () => {
    const pool = connections();
    const server = await serveRaw(() => pool.close());
    expect(await exchange(pool, call(server.url))).toMatchObject({ ok: false, progress: 'sent' });
  });
});

describe('exchange', () => {
  it.each([
    ['aborted', (abort: AbortController) => abort.abort()],
    ['timeout', () => {}],
  ])('sends nothing and closes the socket when a handshake ends by %s', async (cause, act) => {
    const abort = new AbortController();
    const server = await serveRaw(() => act(abort));
    const origin = server.url.replace('http:', 'https:');
    const result = await exchange(
      connections(),
      call(origin, { signal: abort.signal, timeoutMs: cause === 'timeout' ? 200 : 10_000 }),
    );
    expect(result).toEqual({ ok: false, cause, progress: 'handshaking' });
    await closed(server.sockets[0]);
    expect(server.sockets).toHaveLength(1);
  });

  it('does not dial for a request that is already aborted', async () => {
    const server = await serveRaw();
    const signal = AbortSignal.abort();
    expect(await exchange(connections(), call(server.url, { signal }))).toMatchObject({
      cause: 'aborted',
      progress: 'dialling',
    });
    expect(server.sockets).toHaveLength(0);
  });

  it('does not return an early hint as the response', async () => {
    const server = await serveRaw((socket) =>
      socket.write(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${reply('x-last: yes\r\n')}`),
    );
    expect(await exchange(connections(), call(server.url))).toMatchObject({
      status: 200,
      headers: { 'x-last': 'yes' },
      body: Buffer.from('{}'),
    });
  });

  it('returns headers in the form of node:http', async () => {
    const server = await serveRaw((socket) =>
      socket.write(
        reply(
          'X-Twice: a\r\nx-twice: b\r\nRetry-After: 1\r\nretry-after: 2\r\nSet-Cookie: c=1\r\nX-Umlaut: \u00fc\r\n',
        ),
        'latin1',
      ),
    );
    expect(await exchange(connections(), call(server.url))).toMatchObject({
      headers: { 'x-twice': 'a, b', 'retry-after': '1', 'set-cookie': ['c=1'], 'x-umlaut': '\u00fc' },
    });
  });
});
