import type { AddressInfo } from 'node:net';
import net from 'node:net';
import { parseConfig } from '@holdfast/kit/config';
import { afterEach, describe, expect, it } from '@jest/globals';
import { egressConfig, egressSettings, webhookEgressConfig } from './config.ts';
import { openDownload } from './download.ts';
import { createEgressPolicy, type EgressSettings } from './policy.ts';
import { postJson } from './post.ts';
import { listenProxy, startTestServer, type TestServer } from './testing/servers.ts';

const open: { close(): unknown }[] = [];
const toLoopback: EgressSettings['resolve'] = (_name, _options, done) =>
  done(null, [{ address: '127.0.0.1', family: 4 }]);

afterEach(async () => {
  await Promise.all(open.splice(0).map((resource) => resource.close()));
});

async function serve(): Promise<TestServer> {
  const server = await startTestServer((_req, res) => res.end('reached'));
  open.push(server);
  return server;
}

const opening = (allowOrigins: string[], settings: Partial<EgressSettings> = {}) =>
  createEgressPolicy({ allowCidrs: [], allowHttp: false, allowOrigins, resolve: toLoopback, ...settings });

const post = (url: string, policy: ReturnType<typeof opening>) =>
  postJson({ url, policy, body: '{}', headers: {}, timeoutMs: 5000, maxResponseBytes: 1000 });

describe('an origin that the operator allowed', () => {
  const policy = opening(['http://127.0.0.1:8790', 'http://[::1]:8790', 'https://hooks.internal:9000']);

  it.each([
    'http://127.0.0.1:8790',
    'http://127.0.0.1:8790/any/path?x=1#y',
    'HTTP://127.0.0.1:8790/',
    'http://[0:0:0:0:0:0:0:1]:8790/',
    'https://hooks.internal:9000/',
    // Equal after parsing.
    'http://2130706433:8790/',
    'http://127.1:8790/',
    'http://127.0.0.1.:8790/',
    'http://127。0。0。1:8790/',
  ])('allows %s', (url) => {
    expect(policy.checkUrl(url)).toBeNull();
  });

  it.each([
    'https://127.0.0.1:8790/',
    'http://127.0.0.1/',
    'http://127.0.0.1:8791/',
    'http://127.0.0.1:08791/',
    'http://127.0.0.2:8790/',
    'http://localhost:8790/',
    'http://localhost.:8790/',
    'http://[::ffff:127.0.0.1]:8790/',
    'http://[::ffff:7f00:1]:8790/',
    'http://0.0.0.0:8790/',
    'http://[::]:8790/',
    'http://[::1]:8791/',
    'http://loopback.example:8790/',
    'http://127.0.0.1:8790@10.0.0.1/',
    'http://10.0.0.1#@127.0.0.1:8790/',
    'http://user@127.0.0.1:8790/',
    'http://:password@127.0.0.1:8790/',
    'http://127.0.0.1:8790.example.com/',
    'http://127.0.0.1\\@10.0.0.1:8790/',
    'http:127.0.0.1:8790/',
    ' http://127.0.0.1:8790/',
    'http://127.0.0.1:8790/\r\nX: y',
    'blob:http://127.0.0.1:8790/x',
    'filesystem:http://127.0.0.1:8790/x',
    'ws://127.0.0.1:8790/',
    'ftp://127.0.0.1:8790/',
    'http://hooks.internal:9000/',
    'https://hooks.internal/',
    'https://hooks.internal.:9000/',
    'https://a.hooks.internal:9000/',
  ])('does not allow %s', (url) => {
    expect(policy.checkUrl(url)).not.toBeNull();
  });

  it('does not change the rest of the policy', () => {
    expect(policy.checkUrl('https://example.com/')).toBeNull();
    expect(policy.checkUrl('http://example.com/')?.message).toBe('must use https');
    expect(policy.openings).toEqual([
      'webhooks may go to http://127.0.0.1:8790, http://[::1]:8790, https://hooks.internal:9000',
    ]);
  });

  it('may have the host of PUBLIC_URL', () => {
    const beside = opening(['http://127.0.0.1:8790'], { ownHosts: ['127.0.0.1'] });
    expect(beside.checkUrl('http://127.0.0.1:8790/')).toBeNull();
    expect(beside.checkUrl('http://127.0.0.1:8080/')).not.toBeNull();
  });
});

describe('a post to an allowed origin', () => {
  it('reaches it and no other port of its address, by any name or idle connection', async () => {
    const [opened, other] = [await serve(), await serve()];
    const policy = opening([opened.url], { highPorts: true });
    expect(await post(`${opened.url}/a`, policy)).toMatchObject({ ok: true, status: 200 });
    for (const url of [
      other.url,
      `http://localhost:${opened.port}/`,
      `https://127.0.0.1:${opened.port}/`,
      // It resolves to the address, which is allowed for that origin only.
      `https://rebind.example:${opened.port}/`,
      `https://rebind.example:${other.port}/`,
    ]) {
      expect(await post(url, policy)).toMatchObject({ ok: false, stage: 'policy' });
    }
    expect(await post(`http://2130706433:${opened.port}/b`, policy)).toMatchObject({ ok: true });
    expect([opened.requests(), other.requests()]).toEqual([2, 0]);
  });

  it('follows no redirect', async () => {
    const other = await serve();
    const server = await startTestServer((_req, res) => res.writeHead(307, { location: other.url }).end());
    open.push(server);
    const policy = opening([server.url, other.url]);
    expect(await post(server.url, policy)).toMatchObject({ ok: true, status: 307 });
    expect(other.requests()).toBe(0);
  });

  it('is not checked by the addresses of its name', async () => {
    const server = await serve();
    const policy = opening([`http://localhost:${server.port}`], {
      resolve: (_name, _options, done) => done(new Error('looked up'), []),
    });
    expect(await post(`http://localhost:${server.port}/`, policy)).toMatchObject({ ok: true });
  });

  it.each([true, false])(
    'goes past the proxy, and no other does (proxyResolves: %s)',
    async (proxyResolves) => {
      const server = await serve();
      const proxy = await listenProxy((socket) => socket.end('HTTP/1.1 403 No\r\n\r\n'));
      open.push(proxy);
      const policy = opening([server.url], {
        proxyUrl: `http://127.0.0.1:${proxy.port}`,
        proxyResolves,
        resolve: (_name, _options, done) => done(null, [{ address: '1.1.1.1', family: 4 }]),
      });
      expect(await post(server.url, policy)).toMatchObject({ ok: true });
      expect(proxy.requests).toEqual([]);
      expect(await post('https://example.com/', policy)).toMatchObject({ stage: 'connect' });
      expect(proxy.requests).toHaveLength(1);
    },
  );
});

describe('WEBHOOK_ALLOW_ORIGINS', () => {
  const parsed = (text: string) => parseConfig(webhookEgressConfig, { WEBHOOK_ALLOW_ORIGINS: text });

  it('is empty by default and is logged at the start', () => {
    expect(createEgressPolicy(egressSettings(parsed(''))).openings).toEqual([]);
    const policy = createEgressPolicy(
      egressSettings(parsed(' HTTP://127.1:80/, https://hooks.internal:9000')),
    );
    expect(policy.openings).toEqual(['webhooks may go to http://127.0.0.1, https://hooks.internal:9000']);
    expect(policy.checkUrl('http://127.0.0.1:80/')).toBeNull();
  });

  it.each([
    '127.0.0.1:8790',
    'http://',
    'http://*:8790',
    'http://127.0.0.1:8790/hooks',
    'http://127.0.0.1:8790?',
    'http://127.0.0.1:8790#x',
    'http://user@127.0.0.1:8790',
    'http://127.0.0.1:*',
    'http://127.0.0.0/8',
    'ftp://127.0.0.1:8790',
    'blob:http://127.0.0.1:8790/',
    'null',
  ])('refuses %s', (text) => {
    expect(() => parsed(`http://127.0.0.1:1,${text}`)).toThrow('WEBHOOK_ALLOW_ORIGINS: must be origins');
  });

  it('does not apply to downloads and their redirects', async () => {
    const opened = await serve();
    const env = { WEBHOOK_ALLOW_ORIGINS: opened.url };
    const policy = createEgressPolicy(egressSettings(parseConfig(egressConfig, env)));
    const server = await startTestServer((_req, res) => res.writeHead(302, { location: opened.url }).end());
    open.push(server);
    const trustedHosts = [`127.0.0.1:${server.port}`];
    for (const url of [opened.url, server.url]) {
      const download = openDownload({ url, policy, trustedHosts, timeoutMs: 5000, maxBytes: 100 });
      await expect(download).rejects.toMatchObject({ stage: 'policy' });
    }
    expect(opened.requests()).toBe(0);
  });
});

it('fails a post to an allowed origin without a listener', async () => {
  const server = net.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const url = `http://127.0.0.1:${port}`;
  expect(await post(url, opening([url]))).toMatchObject({ ok: false, stage: 'connect' });
});
