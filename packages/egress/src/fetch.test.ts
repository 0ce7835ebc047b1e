import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createFetch } from './fetch.ts';
import { createEgressPolicy } from './policy.ts';
import { type TestServer, testServers } from './testing/servers.ts';

const { serve, closeAll } = testServers();
afterEach(closeAll);

const limits = { timeoutMs: 5000, maxResponseBytes: 1000 };
const strict = createFetch(createEgressPolicy({ allowCidrs: [], allowHttp: false }), limits);
const fetchFrom = ({ url }: TestServer, request = {}, over = {}) => {
  const policy = createEgressPolicy({
    allowCidrs: [],
    allowHttp: false,
    allowOrigins: [new URL(url).origin],
  });
  return createFetch(policy, { ...limits, ...over })(url, { method: 'GET', headers: {}, ...request });
};

describe('createFetch', () => {
  it('sends a form and returns the response with its headers', async () => {
    const server = await serve((request, response) => {
      response.writeHead(418, { 'content-type': 'text/plain', 'x-method': request.method });
      request.pipe(response);
    });
    const body = new URLSearchParams({ code: 'a b' });
    const response = await fetchFrom(server, { method: 'POST', body });
    expect([response.status, await response.text()]).toEqual([418, 'code=a+b']);
    expect(response.headers.get('x-method')).toBe('POST');
  });

  it('decompresses a response, and refuses one that becomes too long', async () => {
    const server = await serve((request, response) => {
      const text = 'x'.repeat(request.headers['x-size'] === 'large' ? 100_000 : 900);
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text));
    });
    const response = await fetchFrom(server);
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(await response.text()).toBe('x'.repeat(900));
    const large = fetchFrom(server, { headers: { 'x-size': 'large' } });
    await expect(large).rejects.toThrow('more than 1000 bytes');
  });

  it('returns a response without a body', async () => {
    const server = await serve((_request, response) => response.writeHead(204).end());
    expect((await fetchFrom(server)).status).toBe(204);
  });

  it('reaches no address that the policy refuses, whether the URL or its name leads there', async () => {
    const server = await serve((_request, response) => response.end());
    const get = { method: 'GET', headers: {} };
    await expect(strict(server.url, get)).rejects.toThrow('must use https');
    await expect(strict('https://127.0.0.1/', get)).rejects.toThrow('private or reserved address');
    await expect(strict('https://localhost/', get)).rejects.toThrow('local host');
    expect(server.requests()).toBe(0);
  });

  it('follows no redirect', async () => {
    const target = await serve((_request, response) => response.end('reached'));
    const server = await serve((_request, response) =>
      response.writeHead(302, { location: target.url }).end(),
    );
    expect((await fetchFrom(server)).status).toBe(302);
    expect(target.requests()).toBe(0);
  });

  it('rejects a response that is too long, and one that does not come in time', async () => {
    const long = await serve((_request, response) => response.end('x'.repeat(5000)));
    await expect(fetchFrom(long)).rejects.toThrow('1000 bytes');
    const silent = await serve(() => {});
    await expect(fetchFrom(silent, {}, { timeoutMs: 50 })).rejects.toThrow('within 50 ms');
    await expect(fetchFrom(silent, { signal: AbortSignal.abort() })).rejects.toThrow('aborted');
  });

  it('refuses a body that it would not send as it is', async () => {
    const server = await serve((_request, response) => response.end());
    await expect(fetchFrom(server, { method: 'POST', body: new Uint8Array(3) })).rejects.toThrow('not text');
  });
});
