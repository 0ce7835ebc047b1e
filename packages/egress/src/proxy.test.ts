import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import tls, { type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import { openDownload } from './download.ts';
import { createEgressPolicy, type EgressSettings } from './policy.ts';
import { type PostOptions, postJson } from './post.ts';
import { cert, key, listenProxy, type ProxyServer, startTestServer, tunnel } from './testing/servers.ts';

const open: { close(): unknown }[] = [];
const defaultCertificates = tls.getCACertificates('default');

afterEach(async () => {
  tls.setDefaultCACertificates(defaultCertificates);
  await Promise.all(open.splice(0).map((resource) => resource.close()));
});

async function startProxy(...given: Parameters<typeof listenProxy>): Promise<ProxyServer> {
  const proxy = await listenProxy(...given);
  open.push(proxy);
  return proxy;
}

async function startTarget() {
  const server = await startTestServer((req, res) => res.end(`reached ${req.headers.host?.split(':')[0]}`));
  open.push(server);
  return server;
}

/** With TLS as `holdfast.test`. */
async function startTlsTarget() {
  tls.setDefaultCACertificates([cert]);
  const seen: { servername: unknown; host: string | undefined; isResumed: boolean }[] = [];
  const server = https.createServer({ key, cert }, (req, res) => {
    const socket = req.socket as TLSSocket & { servername?: unknown };
    seen.push({
      servername: socket.servername,
      host: req.headers.host?.split(':')[0],
      isResumed: socket.isSessionReused(),
    });
    res.end('reached');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => new Promise((resolve) => server.close(resolve).closeAllConnections());
  open.push({ close });
  return { port: (server.address() as AddressInfo).port, seen };
}

const through = (proxyUrl: string, settings: Partial<EgressSettings> = {}) =>
  createEgressPolicy({
    allowCidrs: ['127.0.0.0/8'],
    allowHttp: true,
    proxyUrl,
    resolve: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
    ...settings,
  });

const post = (url: string, options: Pick<PostOptions, 'policy'> & Partial<PostOptions>) =>
  postJson({ url, body: '{}', headers: {}, timeoutMs: 5000, maxResponseBytes: 1000, ...options });

const download = (url: string, policy: PostOptions['policy'], timeoutMs = 5000) =>
  openDownload({ url, policy, trustedHosts: [], timeoutMs, maxBytes: 1000 });

describe('a request through a proxy', () => {
  it('posts to the checked address under the name of the URL', async () => {
    const { port, seen } = await startTlsTarget();
    const proxy = await startProxy();
    const policy = through(`http://127.0.0.1:${proxy.port}`);
    const url = `https://holdfast.test:${port}/`;
    expect(await post(url, { policy })).toMatchObject({ ok: true, status: 200 });
    expect(proxy.requests).toEqual([`CONNECT 127.0.0.1:${port}`]);
    expect(seen).toEqual([{ servername: 'holdfast.test', host: 'holdfast.test', isResumed: false }]);
    // On the same tunnel.
    expect(await post(url, { policy })).toMatchObject({ ok: true });
    expect(proxy.requests).toHaveLength(1);
  });

  it('posts over TLS through a proxy with TLS', async () => {
    const { port, seen } = await startTlsTarget();
    const proxy = await startProxy(tunnel, true);
    const policy = through(`https://127.0.0.1:${proxy.port}`);
    expect(await post(`https://holdfast.test:${port}/`, { policy })).toMatchObject({ ok: true, status: 200 });
    expect(seen).toHaveLength(1);
  });

  it('requires a certificate for the name', async () => {
    const { port, seen } = await startTlsTarget();
    const proxy = await startProxy();
    const policy = through(`http://127.0.0.1:${proxy.port}`);
    expect(await post(`https://other.test:${port}/`, { policy })).toMatchObject({ ok: false, stage: 'tls' });
    expect(seen).toHaveLength(0);
  });

  it('opens a tunnel for plain http', async () => {
    const target = await startTarget();
    const proxy = await startProxy();
    const policy = through(`http://127.0.0.1:${proxy.port}`);
    const result = await post(`http://plain.test:${target.port}/`, { policy });
    expect(result).toMatchObject({ ok: true, status: 200 });
    expect(proxy.requests).toEqual([`CONNECT 127.0.0.1:${target.port}`]);
  });

  it('downloads files, including redirects', async () => {
    const target = await startTestServer((req, res) => {
      if (req.url === '/file') res.end('bytes');
      else res.writeHead(302, { location: `http://there.test:${target.port}/file` }).end();
    });
    open.push(target);
    const proxy = await startProxy();
    const policy = through(`http://127.0.0.1:${proxy.port}`);
    const { stream } = await download(`http://here.test:${target.port}/`, policy);
    expect((await buffer(stream)).toString()).toBe('bytes');
    expect(proxy.requests).toHaveLength(2);
  });

  it('downloads a file over TLS', async () => {
    const { port, seen } = await startTlsTarget();
    const proxy = await startProxy();
    const { stream } = await download(
      `https://holdfast.test:${port}/`,
      through(`http://127.0.0.1:${proxy.port}`),
    );
    expect((await buffer(stream)).toString()).toBe('reached');
    expect(seen).toMatchObject([{ servername: 'holdfast.test' }]);
  });

  it('sends the credentials of the proxy URL', async () => {
    const target = await startTarget();
    const proxy = await startProxy();
    const policy = through(`http://us%40er:p%3Ass@127.0.0.1:${proxy.port}`);
    await post(`http://plain.test:${target.port}/`, { policy });
    expect(proxy.credentials).toEqual([`Basic ${Buffer.from('us@er:p:ss').toString('base64')}`]);
  });

  it('does not reach the proxy for a name with a forbidden address', async () => {
    const proxy = await startProxy();
    const policy = through(`http://127.0.0.1:${proxy.port}`, {
      resolve: (_name, _options, done) =>
        done(null, [
          { address: '127.0.0.1', family: 4 },
          { address: '10.0.0.1', family: 4 },
        ]),
    });
    expect(await post('https://mixed.test/', { policy })).toMatchObject({ ok: false, stage: 'policy' });
    await expect(download('https://mixed.test/', policy)).rejects.toMatchObject({ stage: 'policy' });
    expect(await post('https://10.0.0.1/', { policy })).toMatchObject({ stage: 'policy' });
    expect(proxy.requests).toEqual([]);
  });

  it.each([
    [['2606:4700::1', '1.1.1.1'], '1.1.1.1:443'],
    [['2606:4700::1'], '[2606:4700::1]:443'],
  ])('requests one address of %j', async (addresses, authority) => {
    const proxy = await startProxy((socket) => socket.end('HTTP/1.1 503 No\r\n\r\n'));
    const policy = through(`http://127.0.0.1:${proxy.port}`, {
      resolve: (_name, _options, done) =>
        done(
          null,
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        ),
    });
    expect(await post('https://both.test/', { policy })).toMatchObject({ stage: 'connect' });
    expect(proxy.requests).toEqual([`CONNECT ${authority}`]);
  });

  it('sends the name without a lookup when the proxy resolves names', async () => {
    const { port, seen } = await startTlsTarget();
    const proxy = await startProxy();
    const policy = through(`http://127.0.0.1:${proxy.port}`, {
      allowCidrs: [],
      highPorts: true,
      proxyResolves: true,
      resolve: (_name, _options, done) => done(new Error('looked up'), []),
    });
    expect(await post(`https://holdfast.test:${port}/`, { policy })).toMatchObject({ ok: true });
    expect(proxy.requests).toEqual([`CONNECT holdfast.test:${port}`]);
    expect(seen).toHaveLength(1);
    expect(await post('https://10.0.0.1/', { policy })).toMatchObject({ stage: 'policy' });
  });
});

const respondWith = (text: string) => (socket: Socket) => {
  socket.write(text);
};

describe('a failure of the proxy', () => {
  it.each([
    [
      '403',
      respondWith('HTTP/1.1 403 Forbidden\r\ncontent-length: 9\r\n\r\nforbidden'),
      'the proxy refused: 403',
    ],
    ['407', respondWith('HTTP/1.1 407 Who\r\nproxy-authenticate: Basic\r\n\r\n'), 'the proxy refused: 407'],
    [
      '302',
      respondWith('HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1/\r\n\r\n'),
      'the proxy refused: 302',
    ],
    ['103', respondWith('HTTP/1.1 103 Early Hints\r\n\r\n'), 'the proxy refused: 103'],
    ['garbage', respondWith('SSH-2.0-OpenSSH_9.2\r\n'), 'the proxy sent no HTTP response'],
    [
      'huge headers',
      respondWith(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}`),
      'the proxy sent no HTTP response',
    ],
    [
      '200 and more',
      respondWith('HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'),
      'the proxy sent more than its response',
    ],
    ['hangs up', (socket: Socket) => socket.destroy(), 'the proxy closed the connection'],
  ])('%s', async (_name, respond, message) => {
    const proxy = await startProxy(respond);
    const policy = through(`http://user:secret@127.0.0.1:${proxy.port}`);
    expect(await post('https://name.test/', { policy })).toMatchObject({
      ok: false,
      stage: 'connect',
      message,
    });
    await expect(download('https://name.test/', policy)).rejects.toMatchObject({ stage: 'network', message });
    await gone(proxy);
  });

  it.each([
    ['says nothing', () => {}],
    ['drips its headers', (socket: Socket) => drip(socket, 'HTTP/1.1 200 OK\r\nx: ', 'x')],
    ['opens it and sends nothing', respondWith('HTTP/1.1 200 OK\r\n\r\n')],
  ])('times out with the post and closes the connection when the proxy %s', async (_name, respond) => {
    const proxy = await startProxy(respond);
    const policy = through(`http://127.0.0.1:${proxy.port}`);
    expect(await post('https://name.test/', { policy, timeoutMs: 200 })).toMatchObject({ stage: 'timeout' });
    await gone(proxy);
  });

  it('times out with the download', async () => {
    const proxy = await startProxy(() => {});
    const policy = through(`http://127.0.0.1:${proxy.port}`);
    await expect(download('https://name.test/', policy, 200)).rejects.toMatchObject({ stage: 'network' });
  });

  it('has a message without the address', async () => {
    const proxy = await listenProxy();
    await proxy.close();
    const policy = through(`http://user:secret@127.0.0.1:${proxy.port}`);
    expect(await post('https://name.test/', { policy })).toMatchObject({
      stage: 'connect',
      message: 'the proxy cannot be reached: ECONNREFUSED',
      isOwnFault: true,
    });
  });

  it.each([
    ['HTTP/1.1 407 Who\r\n\r\n', true],
    ['no HTTP\r\n\r\n', true],
    ['HTTP/1.1 403 No\r\n\r\n', undefined],
    ['HTTP/1.1 502 No\r\n\r\n', undefined],
  ])('with the response %j is our own fault: %s', async (text, isOwnFault) => {
    const proxy = await startProxy(respondWith(text));
    const result = await post('https://name.test/', { policy: through(`http://127.0.0.1:${proxy.port}`) });
    expect('isOwnFault' in result ? result.isOwnFault : undefined).toBe(isOwnFault);
  });
});

function drip(socket: Socket, first: string, next = first): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(next), 20);
  socket.on('close', () => clearInterval(timer));
}

async function gone(proxy: ProxyServer): Promise<void> {
  while (proxy.open() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
}
