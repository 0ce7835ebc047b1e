import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { until } from '@holdfast/testkit/until';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type DownloadOptions, openDownload } from './download.ts';
import { createEgressPolicy } from './policy.ts';
import { listenRaw, testServers } from './testing/servers.ts';

const loopback = createEgressPolicy({ allowCidrs: ['127.0.0.0/8'], allowHttp: true });
const strict = createEgressPolicy({ allowCidrs: [], allowHttp: false });
const { serve, closeAll } = testServers();
afterEach(closeAll);

const download = (url: string, options: Partial<DownloadOptions> = {}) =>
  openDownload({ url, policy: loopback, trustedHosts: [], timeoutMs: 5000, maxBytes: 1000, ...options });

describe('openDownload', () => {
  it('streams the file and returns its type and size', async () => {
    const server = await serve((_req, res) => {
      res.writeHead(200, { 'content-type': 'Image/PNG; charset=x', 'content-length': '5' }).end('bytes');
    });
    const { stream, contentType, sizeBytes } = await download(server.url);
    expect([contentType, sizeBytes]).toEqual(['image/png', 5]);
    expect((await buffer(stream)).toString()).toBe('bytes');
  });

  it('decompresses a file, and counts what it becomes', async () => {
    const file = Buffer.alloc(900, 'x');
    const server = await serve((req, res) => {
      const body = gzipSync(req.url === '/bomb' ? Buffer.alloc(10_000_000) : file);
      res.writeHead(200, { 'content-encoding': 'gzip', 'content-length': body.length }).end(body);
    });
    const { stream, sizeBytes } = await download(server.url);
    expect(sizeBytes).toBeNull();
    expect(await buffer(stream)).toEqual(file);
    const bomb = await download(`${server.url}/bomb`);
    await expect(buffer(bomb.stream)).rejects.toMatchObject({ stage: 'too_large' });
  });

  it('accepts a 100 Continue and a length that is sent twice, also on a connection in use', async () => {
    const server = await listenRaw((socket) =>
      socket.write(
        'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 4\r\nContent-Length: 4\r\n\r\nfile',
      ),
    );
    for (let i = 0; i < 2; i++) {
      const { stream, sizeBytes } = await download(server.url);
      expect([sizeBytes, String(await buffer(stream))]).toEqual([4, 'file']);
    }
    expect(server.sockets).toHaveLength(1);
    await server.close();
  });

  it('dials a trusted host unchecked and refuses others by the policy', async () => {
    const server = await serve((_req, res) => res.end('ok'));
    const trustedHosts = [`127.0.0.1:${server.port}`];
    const { stream } = await download(server.url, { policy: strict, trustedHosts });
    expect((await buffer(stream)).toString()).toBe('ok');
    await expect(download(server.url, { policy: strict })).rejects.toMatchObject({ stage: 'policy' });
    expect(server.requests()).toBe(1);
  });

  it('refuses a name that resolves to a private address', async () => {
    const server = await serve((_req, res) => res.end('secret'));
    const policy = createEgressPolicy({
      allowCidrs: ['10.0.0.0/8'],
      allowHttp: true,
      resolve: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    const url = `http://rebind.example:${server.port}/`;
    await expect(download(url, { policy })).rejects.toMatchObject({ stage: 'policy' });
    expect(server.requests()).toBe(0);
  });

  it('follows three redirects, not four', async () => {
    const server = await serve((req, res) => {
      const left = Number(req.url?.slice(1));
      if (left === 0) res.end('there');
      else res.writeHead(302, { location: `/${left - 1}` }).end();
    });
    expect((await buffer((await download(`${server.url}/3`)).stream)).toString()).toBe('there');
    await expect(download(`${server.url}/4`)).rejects.toMatchObject({ stage: 'redirects' });
  });

  it('checks the target of a redirect', async () => {
    const server = await serve((_req, res) => {
      res.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
    });
    await expect(download(server.url)).rejects.toMatchObject({ stage: 'policy' });
  });

  it('does not trust a host after a redirect from an untrusted one', async () => {
    const internal = await serve((_req, res) => res.end('secret'));
    const trustedHosts = [`localhost:${internal.port}`];
    const policy = createEgressPolicy({ allowCidrs: ['127.0.0.2/32'], allowHttp: true });
    const foreign = await serve((_req, res) => {
      res.writeHead(302, { location: `http://localhost:${internal.port}/` }).end();
    });
    const url = `http://foreign.example:${foreign.port}/`;
    const viaForeign = createEgressPolicy({
      allowCidrs: ['127.0.0.0/8'],
      allowHttp: true,
      resolve: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    const policyOfHops = {
      ...viaForeign,
      checkUrl: (text: string) => (text === url ? null : policy.checkUrl(text)),
    };
    await expect(download(url, { policy: policyOfHops, trustedHosts })).rejects.toMatchObject({
      stage: 'policy',
    });
    expect(internal.requests()).toBe(0);
  });

  it('refuses a file with a declared size above maxBytes', async () => {
    const server = await serve((_req, res) =>
      res.writeHead(200, { 'content-length': '1001' }).end('x'.repeat(1001)),
    );
    await expect(download(server.url)).rejects.toMatchObject({ stage: 'too_large' });
  });

  it('stops at maxBytes for a file without a declared size', async () => {
    const server = await serve((_req, res) => {
      res.write('x'.repeat(600));
      res.end('x'.repeat(600));
    });
    const { stream, sizeBytes } = await download(server.url);
    expect(sizeBytes).toBeNull();
    await expect(buffer(stream)).rejects.toMatchObject({ stage: 'too_large' });
  });

  it('times out for a body that never ends', async () => {
    const server = await serve((_req, res) => {
      res.write('x');
    });
    // The time also covers the connect, for which a machine that stalls may need all of it.
    const { stream } = await until('a response in time', () =>
      download(server.url, { timeoutMs: 1000 }).catch(() => null),
    );
    await expect(buffer(stream)).rejects.toThrow();
  });

  it('fails the stream of a file that ends early', async () => {
    const server = await serve((_req, res) => {
      res.writeHead(200, { 'content-length': '100' });
      res.write('half', () => res.socket?.destroy());
    });
    const { stream } = await download(server.url);
    await expect(buffer(stream)).rejects.toThrow();
  });

  it('throws for a status other than 2xx', async () => {
    const server = await serve((_req, res) => res.writeHead(404).end());
    await expect(download(server.url)).rejects.toMatchObject({ stage: 'status', status: 404 });
  });
});
