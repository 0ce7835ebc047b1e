import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createEgressPolicy } from './policy.ts';
import { type PostOptions, postJson, targetOf } from './post.ts';
import { startTestServer, testServers } from './testing/servers.ts';

const loopback = createEgressPolicy({ allowCidrs: ['127.0.0.0/8'], allowHttp: true });
const strict = createEgressPolicy({ allowCidrs: [], allowHttp: false });
const { serve, closeAll } = testServers();
afterEach(closeAll);

const post = (url: string, options: Partial<PostOptions> = {}) =>
  postJson({
    url,
    body: '{"a":1}',
    headers: {},
    timeoutMs: 5000,
    maxResponseBytes: 1000,
    policy: loopback,
    ...options,
  });

describe('postJson', () => {
  it('posts the given bytes and headers and returns the response', async () => {
    const server = await serve((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        res.statusCode = 201;
        res.setHeader(
          'x-echo',
          `${req.method} ${String(req.headers['x-custom'])} ${req.headers['content-type']}`,
        );
        res.end(Buffer.concat(chunks));
      });
    });
    expect(await post(server.url, { headers: { 'x-custom': 'yes' } })).toMatchObject({
      ok: true,
      status: 201,
      body: Buffer.from('{"a":1}'),
      headers: { 'x-echo': 'POST yes application/json' },
      durationMs: expect.any(Number),
    });
  });

  it('never follows a redirect', async () => {
    const target = await serve((_req, res) => res.end('reached'));
    const server = await serve((_req, res) => res.writeHead(307, { location: target.url }).end());
    expect(await post(server.url)).toMatchObject({ ok: true, status: 307 });
    expect(target.requests()).toBe(0);
  });

  it('times out when the lookup gets no response', async () => {
    const policy = createEgressPolicy({ allowCidrs: ['127.0.0.0/8'], allowHttp: true, resolve: () => {} });
    expect(await post('http://slow.example:81/', { policy, timeoutMs: 100 })).toMatchObject({
      stage: 'timeout',
    });
  });

  it('waits for a response that is slower than the idle timeout of a connection', async () => {
    const server = await serve((_req, res) => setTimeout(() => res.end('late'), 1800));
    expect(await post(server.url)).toMatchObject({ ok: true, body: Buffer.from('late') });
  });

  it('reports a refused connection without the address', async () => {
    const server = await startTestServer((_req, res) => res.end());
    await server.close();
    expect(await post(server.url)).toMatchObject({
      ok: false,
      stage: 'connect',
      message: 'connect ECONNREFUSED',
    });
  });

  it('reports a failed handshake', async () => {
    const server = await serve((_req, res) => res.end());
    expect(await post(`https://127.0.0.1:${server.port}/`)).toMatchObject({
      ok: false,
      stage: 'tls',
      message: 'the server does not speak TLS at this port',
    });
  });

  it('reports a name that does not resolve', async () => {
    const notFound = Object.assign(new Error('getaddrinfo ENOTFOUND'), {
      syscall: 'getaddrinfo',
      code: 'ENOTFOUND',
    });
    const policy = createEgressPolicy({
      allowCidrs: [],
      allowHttp: false,
      resolve: (_name, _options, done) => done(notFound, []),
    });
    expect(await post('https://nowhere.example/', { policy })).toMatchObject({ ok: false, stage: 'dns' });
  });

  it('refuses a private address in the URL, which needs no lookup', async () => {
    const server = await serve((_req, res) => res.end());
    expect(await post(`https://127.0.0.1:${server.port}/`, { policy: strict })).toMatchObject({
      stage: 'policy',
    });
    expect(server.requests()).toBe(0);
  });

  it('refuses a name that resolves to a private address', async () => {
    const server = await serve((_req, res) => res.end());
    const policy = createEgressPolicy({
      allowCidrs: ['10.0.0.0/8'],
      allowHttp: true,
      resolve: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    expect(policy.checkUrl(`http://rebind.example:${server.port}/`)).toBeNull();
    expect(await post(`http://rebind.example:${server.port}/`, { policy })).toMatchObject({
      stage: 'policy',
    });
    expect(server.requests()).toBe(0);
  });

  it('ends when its signal aborts', async () => {
    const abort = new AbortController();
    const server = await serve(() => abort.abort());
    expect(await post(server.url, { signal: abort.signal })).toMatchObject({ ok: false, stage: 'aborted' });
    expect(await post(server.url, { signal: abort.signal })).toMatchObject({ ok: false, stage: 'aborted' });
  });

  it('returns a failure for an invalid header', async () => {
    expect(await post('http://127.0.0.1:9/', { headers: { 'x-a': 'b\r\nc: d' } })).toMatchObject({
      stage: 'policy',
    });
  });
});

describe('the target of a URL', () => {
  it('is checked once per policy', () => {
    const open = createEgressPolicy({ allowCidrs: [], allowHttp: true });
    const closed = createEgressPolicy({ allowCidrs: [], allowHttp: false });
    const checkUrl = jest.spyOn(open, 'checkUrl');
    const url = 'http://example.com:443/a%20b?c=d#e';
    for (let i = 0; i < 3; i++) {
      expect(targetOf(open, url)).toEqual({ origin: 'http://example.com:443', path: '/a%20b?c=d' });
    }
    expect(checkUrl).toHaveBeenCalledTimes(1);
    expect(targetOf(closed, url)).toMatchObject({ code: 'INVALID_URL' });
  });

  it('is cached until 2048 newer ones are', () => {
    const policy = createEgressPolicy({ allowCidrs: [], allowHttp: false });
    const checkUrl = jest.spyOn(policy, 'checkUrl');
    const urls = Array.from({ length: 2049 }, (_, i) => `https://example.com/${i}`);
    for (const url of urls) targetOf(policy, url);
    targetOf(policy, 'https://example.com/2048');
    expect(checkUrl).toHaveBeenCalledTimes(2049);
    targetOf(policy, 'https://example.com/0');
    expect(checkUrl).toHaveBeenCalledTimes(2050);
  });
});
