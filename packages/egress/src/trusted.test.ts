import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import zlib from 'node:zlib';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { multipart } from './multipart.ts';
import { closed, listenRaw, startTestServer, type TestServer } from './testing/servers.ts';
import { createTrustedHttp, type TrustedHttp, type TrustedSettings } from './trusted.ts';

const open: { close(): unknown }[] = [];

afterEach(async () => {
  jest.useRealTimers();
  await Promise.all(open.splice(0).map((resource) => resource.close()));
});

/** The time limit of a request then passes by `advanceTimersByTime` only. */
const stopTimers = () => jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });

async function connect(handler: RequestListener, settings: Partial<TrustedSettings> = {}) {
  const server: TestServer = await startTestServer(handler);
  const client: TrustedHttp = createTrustedHttp({ baseUrl: `${server.url}/base/`, ...settings });
  open.push(server, client);
  return { server, client };
}

describe('createTrustedHttp', () => {
  it('sends JSON below the base URL with its headers and parses JSON', async () => {
    const { client } = await connect(
      (req, res) => {
        res.setHeader('content-type', 'application/json');
        req.setEncoding('utf8');
        req.on('data', (body) =>
          res.end(JSON.stringify({ url: req.url, auth: req.headers.authorization, body })),
        );
      },
      { headers: { authorization: 'Bearer key' } },
    );
    expect(await client.request('POST', '/v1/things', { json: { a: 1 } })).toMatchObject({
      ok: true,
      status: 200,
      json: { url: '/base/v1/things', auth: 'Bearer key', body: '{"a":1}' },
    });
  });

  it('returns every status without a retry or redirect', async () => {
    const { client, server } = await connect((_req, res) =>
      res.writeHead(503, { 'retry-after': '7' }).end('busy'),
    );
    const result = await client.request('GET', 'x');
    expect(result).toMatchObject({ ok: true, status: 503, bodyText: 'busy', json: undefined });
    expect(result).toMatchObject({ headers: { 'retry-after': '7' } });
    expect(server.requests()).toBe(1);
    const moved = await connect((_req, res) => res.writeHead(302, { location: '/elsewhere' }).end());
    expect(await moved.client.request('GET', 'x')).toMatchObject({ ok: true, status: 302 });
    expect(moved.server.requests()).toBe(1);
  });

  describe('decompresses a response that was not asked for as such:', () => {
    const codings = {
      gzip: zlib.gzipSync,
      'x-gzip': zlib.gzipSync,
      deflate: zlib.deflateSync,
      br: zlib.brotliCompressSync,
      zstd: zlib.zstdCompressSync,
    };
    const text = JSON.stringify({ output: 'x'.repeat(3000) });

    it.each(Object.entries(codings))('%s', async (coding, compress) => {
      const { client } = await connect((_req, res) =>
        res.writeHead(200, { 'content-encoding': coding }).end(compress(text)),
      );
      const result = await client.request('GET', 'x', { maxResponseBytes: text.length });
      expect(result).toMatchObject({ status: 200, bodyText: text, json: { output: expect.any(String) } });
      expect(result).toMatchObject({ headers: expect.not.objectContaining({ 'content-encoding': coding }) });
      const read = await client.request('GET', 'x', { bodyAs: () => 'stream' });
      expect(String(await buffer((read as { stream: Readable }).stream))).toBe(text);
    });

    it.each([
      ['a bomb', () => zlib.gzipSync(Buffer.alloc(64 * 1024 * 1024)), 'too_large'],
      ['half of a body', () => zlib.gzipSync(text).subarray(0, 30), 'network'],
      ['a body that is not compressed', () => Buffer.from(text), 'network'],
    ])('not %s', async (_what, body, reason) => {
      const { client } = await connect(
        (_req, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end(body()),
        { maxResponseBytes: 100_000 },
      );
      expect(await client.request('GET', 'x')).toMatchObject({ ok: false, reached: 'unknown', reason });
    });

    it('one that stops half-way, until the time limit', async () => {
      const { client } = await connect(
        (_req, res) =>
          res.writeHead(200, { 'content-encoding': 'gzip' }).write(zlib.gzipSync(text).subarray(0, 30)),
        { timeoutMs: 200 },
      );
      expect(await client.request('GET', 'x')).toMatchObject({ ok: false, reason: 'timeout' });
    });
  });

  it('streams a response whose end is that of the connection to its last byte, however late it is read', async () => {
    const dialled: Socket[] = [];
    const onDialled = (message: unknown) => void dialled.push((message as { socket: Socket }).socket);
    subscribe('net.client.socket', onDialled);
    const bytes = Buffer.alloc(120_000, 'x');
    const server = await listenRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.end(bytes);
    });
    const client = createTrustedHttp({ baseUrl: server.url });
    open.push(server, client);
    const result = await client.request('GET', 'x', { bodyAs: () => 'stream' });
    unsubscribe('net.client.socket', onDialled);
    await Promise.all(dialled.map(closed));
    const { stream } = result as { stream: Readable };
    expect((await buffer(stream)).length).toBe(bytes.length);
  });

  it('reports the peer as not reached for a refused connection', async () => {
    const { client, server } = await connect((_req, res) => res.end());
    await server.close();
    expect(await client.request('POST', 'x')).toMatchObject({
      ok: false,
      reached: 'no',
      code: 'ECONNREFUSED',
    });
  });

  it('reports the peer as not reached for a name that does not resolve', async () => {
    const client = createTrustedHttp({ baseUrl: 'http://nowhere.invalid' });
    open.push(client);
    expect(await client.request('POST', 'x')).toMatchObject({ ok: false, reached: 'no', reason: 'network' });
  });

  it('reports the peer as not reached for a failed handshake', async () => {
    const { server } = await connect((_req, res) => res.end());
    const client = createTrustedHttp({ baseUrl: `https://127.0.0.1:${server.port}` });
    open.push(client);
    expect(await client.request('POST', 'x')).toMatchObject({ ok: false, reached: 'no' });
  });

  it('reports the peer as possibly reached when the connection breaks after the request', async () => {
    const { client } = await connect((req) => req.socket.destroy());
    expect(await client.request('POST', 'x', { json: {} })).toMatchObject({ ok: false, reached: 'unknown' });
  });

  it('reports the peer as possibly reached after a timeout', async () => {
    stopTimers();
    const { client } = await connect(() => jest.advanceTimersByTime(1000));
    expect(await client.request('POST', 'x', { json: {}, timeoutMs: 1000 })).toMatchObject({
      ok: false,
      reached: 'unknown',
      reason: 'timeout',
    });
  });

  it('ends when its signal aborts', async () => {
    const abort = new AbortController();
    const { client } = await connect(() => abort.abort());
    expect(await client.request('POST', 'x', { signal: abort.signal })).toMatchObject({
      ok: false,
      reached: 'unknown',
      reason: 'aborted',
    });
  });

  it('reports the peer as not reached when the signal is already aborted', async () => {
    const { client, server } = await connect((_req, res) => res.end());
    expect(await client.request('POST', 'x', { signal: AbortSignal.abort() })).toMatchObject({
      reached: 'no',
      reason: 'aborted',
    });
    expect(server.requests()).toBe(0);
  });

  it('reports the peer as not reached for an invalid header', async () => {
    const { client, server } = await connect((_req, res) => res.end());
    expect(await client.request('POST', 'x', { headers: { 'x-a': 'b\r\nc: d' } })).toMatchObject({
      ok: false,
      reached: 'no',
    });
    expect(server.requests()).toBe(0);
  });

  it('sends forms, and headers of a request override those of the client', async () => {
    const { client } = await connect(
      (req, res) => {
        const { 'content-type': type, 'x-own': own, accept } = req.headers;
        req.setEncoding('utf8');
        req.on('data', (body) => res.end(JSON.stringify({ type, own, accept, body })));
      },
      { headers: { 'X-Own': 'all' } },
    );
    const result = await client.request('POST', 'x', {
      body: multipart([{ name: 'prompt', value: 'a dog' }]),
      headers: { 'x-own': 'one', Accept: 'a/b' },
    });
    expect(result).toMatchObject({
      json: {
        type: expect.stringMatching(/^multipart\/form-data; boundary=/),
        own: 'one',
        accept: 'a/b',
        body: expect.stringContaining('a dog'),
      },
    });
  });

  it('parses JSON after a byte order mark and sends the credentials of the base URL', async () => {
    const { server } = await connect((req, res) => res.end(`\ufeff{"auth":"${req.headers.authorization}"}`));
    const client = createTrustedHttp({ baseUrl: server.url.replace('//', '//user:p%40ss@') });
    open.push(client);
    expect(await client.request('GET', 'x')).toMatchObject({
      json: { auth: `Basic ${Buffer.from('user:p@ss').toString('base64')}` },
    });
  });

  it.each([true, false])(
    'refuses a response above maxResponseBytes (length declared: %s)',
    async (isDeclared) => {
      const { client } = await connect(
        (_req, res) => {
          if (isDeclared) res.setHeader('content-length', '3000');
          res.end('x'.repeat(3000));
        },
        { maxResponseBytes: 2999 },
      );
      expect(await client.request('GET', 'x')).toMatchObject({ ok: false, reason: 'too_large' });
    },
  );
});

describe('a streamed response', () => {
  const pieces = Array.from({ length: 256 }, (_, index) => Buffer.alloc(65_536, index));
  const streamed = { bodyAs: () => 'stream' as const };

  function send(response: ServerResponse, onFull: () => void): void {
    let next = 0;
    const write = () => {
      while (next < pieces.length) {
        next += 1;
        if (response.write(pieces[next - 1])) continue;
        onFull();
        return;
      }
      response.end();
    };
    response.on('drain', write);
    write();
  }

  async function streamOf(
    client: TrustedHttp,
    options: { timeoutMs?: number; signal?: AbortSignal } = {},
  ): Promise<Readable> {
    const result = await client.request('GET', 'x', { ...streamed, ...options });
    if (!result.ok || result.stream === undefined) throw new Error(JSON.stringify(result));
    return result.stream;
  }

  it('has backpressure: the server waits for the reader', async () => {
    const full = Promise.withResolvers<void>();
    const { client } = await connect((_req, res) => send(res, full.resolve));
    const stream = await streamOf(client);
    await full.promise;
    expect(Buffer.concat(pieces).equals(await buffer(stream))).toBe(true);
  });

  it('frees its connection when it is read to its end', async () => {
    const sockets = new Set<unknown>();
    const { client } = await connect((req, res) => {
      sockets.add(req.socket);
      res.write('a piece', () => res.end('another'));
    });
    await buffer(await streamOf(client));
    await buffer(await streamOf(client));
    expect(sockets.size).toBe(1);
  });

  it('closes the connection when it is destroyed', async () => {
    const closed = Promise.withResolvers<void>();
    const { client } = await connect((_req, res) => {
      res.on('close', closed.resolve);
      res.write('a piece');
    });
    (await streamOf(client)).destroy();
    await closed.promise;
  });

  it('fails when its signal aborts, at its timeout, and when the server closes the connection', async () => {
    const { client } = await connect((req, res) => {
      res.write('a piece');
      if (req.headers['x-hang-up']) res.write('more', () => res.destroy());
    });
    const abort = new AbortController();
    const aborted = await streamOf(client, { signal: abort.signal });
    abort.abort();
    await expect(buffer(aborted)).rejects.toThrow('aborted');
    stopTimers();
    const late = await streamOf(client, { timeoutMs: 1000 });
    jest.advanceTimersByTime(1000);
    await expect(buffer(late)).rejects.toThrow('within 1000 ms');
    const cut = await client.request('GET', 'x', { ...streamed, headers: { 'x-hang-up': '1' } });
    await expect(buffer((cut as { stream: Readable }).stream)).rejects.toThrow();
  });

  it('is chosen by the head of the response: others are text or bytes', async () => {
    const { client } = await connect((req, res) => {
      res.writeHead(req.url?.endsWith('bytes') ? 200 : 500).end(Buffer.from([0xff, 0x41]));
    });
    const bodyAs = ({ status }: { status: number }) => (status === 200 ? 'bytes' : 'text');
    expect(await client.request('GET', 'bytes', { bodyAs })).toMatchObject({
      bytes: Buffer.from([0xff, 0x41]),
      bodyText: '',
    });
    expect(await client.request('GET', 'text', { bodyAs })).toMatchObject({ bodyText: '\ufffdA' });
  });
});
