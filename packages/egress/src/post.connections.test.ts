import { afterEach, describe, expect, it } from '@jest/globals';
import { createEgressPolicy } from './policy.ts';
import { type PostOptions, postJson } from './post.ts';
import { type TestServer, testServers } from './testing/servers.ts';

const { serve, closeAll } = testServers();
afterEach(closeAll);

async function echo(): Promise<TestServer & { ports: Set<number | undefined> }> {
  const ports = new Set<number | undefined>();
  const server = await serve((req, res) => {
    ports.add(req.socket.remotePort);
    res.end(JSON.stringify(req.rawHeaders));
  });
  return { ...server, ports };
}

const loopback = () => createEgressPolicy({ allowCidrs: ['127.0.0.0/8'], allowHttp: true });

const post = (url: string, options: Partial<PostOptions>) =>
  postJson({
    url,
    body: '{"a":1}',
    headers: {},
    timeoutMs: 10_000,
    maxResponseBytes: 1000,
    policy: loopback(),
    ...options,
  });

describe('postJson', () => {
  it('reuses a connection only under the policy under which it was dialled', async () => {
    const { url, ports } = await echo();
    const policy = loopback();
    await post(url, { policy });
    await post(url, { policy });
    expect(ports.size).toBe(1);
    await post(url, { policy: loopback() });
    expect(ports.size).toBe(2);
  });

  it('sends each header once with its case, and the length of the body', async () => {
    const { url } = await echo();
    const headers = { 'X-A': '1', 'x-a': '2', 'Content-Type': 'text/plain', 'content-LENGTH': '999' };
    const result = await post(url, { headers });
    const sent: string[] = JSON.parse(result.ok ? String(result.body) : '[]');
    expect(sent.filter((text) => /^(x-a|content-)/i.test(text))).toEqual([
      'Content-Type',
      'x-a',
      'content-length',
    ]);
    expect(sent[sent.indexOf('x-a') + 1]).toBe('2');
    expect(sent[sent.indexOf('content-length') + 1]).toBe('7');
  });

  it('does not dial when it is aborted during the lookup', async () => {
    const { port, requests } = await echo();
    const abort = new AbortController();
    const responses: (() => void)[] = [];
    const policy = createEgressPolicy({
      allowCidrs: ['127.0.0.0/8'],
      allowHttp: true,
      resolve: (_name, _options, done) => {
        responses.push(() => done(null, [{ address: '127.0.0.1', family: 4 }]));
        abort.abort();
      },
    });
    const url = `http://slow.example:${port}/`;
    expect(await post(url, { policy, signal: abort.signal })).toMatchObject({ stage: 'aborted' });
    for (const response of responses) response();
    // When a later post has succeeded, the first one would have dialled.
    expect(await post(`http://127.0.0.1:${port}/`, {})).toMatchObject({ ok: true });
    expect(requests()).toBe(1);
  });
});
