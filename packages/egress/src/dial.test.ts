import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import tls, { type TLSSocket } from 'node:tls';
import { until } from '@holdfast/testkit/until';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createTlsSessions, dial } from './dial.ts';
import { createEgressPolicy } from './policy.ts';
import { postJson } from './post.ts';
import { cert, closed, key, listenRaw } from './testing/servers.ts';
import { createTrustedHttp } from './trusted.ts';

type Seen = { servername: unknown; isResumed: boolean; alpn: unknown };
const seen: Seen[] = [];
const server = https.createServer({ key, cert }, (req, res) => {
  const socket = req.socket as TLSSocket & { servername?: unknown };
  seen.push({
    servername: socket.servername,
    isResumed: socket.isSessionReused(),
    alpn: socket.alpnProtocol,
  });
  res.setHeader('connection', 'close');
  res.end('{}');
});
const defaultCertificates = tls.getCACertificates('default');
let port = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.close();
});
afterEach(() => {
  tls.setDefaultCACertificates(defaultCertificates);
  seen.length = 0;
});

const trust = () => tls.setDefaultCACertificates([cert]);

function postTo(names: string[]) {
  const policy = createEgressPolicy({
    allowCidrs: ['127.0.0.0/8'],
    allowHttp: false,
    resolve: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
  });
  const given = { body: '{}', headers: {}, timeoutMs: 10_000, maxResponseBytes: 1000, policy };
  return names.map((name) => () => postJson({ ...given, url: `https://${name}:${port}/` }));
}

function dialled(origin = `https://127.0.0.1:${port}`, withinMs?: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    dial({
      origin,
      withinMs,
      guard: undefined,
      sessions: createTlsSessions(),
      onProgress: () => {},
      onDone: (error, opened) => (error ? reject(error) : resolve(opened)),
    });
  });
}

/** A policy whose lookups return one set of addresses after the other. */
function rebinding(...responses: string[][]) {
  let lookups = 0;
  const policy = createEgressPolicy({
    allowCidrs: ['127.0.0.0/8'],
    allowHttp: false,
    resolve: (_name, _options, done) => {
      const addresses = responses[Math.min(lookups, responses.length - 1)] ?? [];
      lookups += 1;
      done(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      );
    },
  });
  const given = { body: '{}', headers: {}, timeoutMs: 10_000, maxResponseBytes: 1000, policy };
  return {
    post: () => postJson({ ...given, url: `https://holdfast.test:${port}/` }),
    lookups: () => lookups,
  };
}

describe('a name with other addresses at the next lookup', () => {
  it('is looked up once and dialled at the checked address', async () => {
    trust();
    const { post, lookups } = rebinding(['127.0.0.1'], ['10.0.0.1']);
    expect(await post()).toMatchObject({ ok: true });
    expect(lookups()).toBe(1);
    expect(await post()).toMatchObject({ ok: false, stage: 'policy' });
    expect(seen).toHaveLength(1);
  });

  it('resumes a TLS session only with the same addresses, in any order', async () => {
    trust();
    const [here, there] = ['127.0.0.1', '127.0.0.9'];
    const { post } = rebinding([here], [here, there], [here], [there, here]);
    for (let i = 0; i < 4; i++) await post();
    const { post: postThere } = rebinding([here, there], [there, here]);
    expect(await postThere()).toMatchObject({ ok: true });
    expect(await postThere()).toMatchObject({ ok: true });
    expect(seen.map(({ isResumed }) => isResumed)).toEqual([false, false, true, true, false, true]);
  });
});

(process.platform === 'linux' ? describe : describe.skip)('a connection that waits for its response', () => {
  it('queries a silent peer within ten seconds', async () => {
    trust();
    const socket = await dialled();
    try {
      const port16 = (socket.localPort ?? 0).toString(16).toUpperCase().padStart(4, '0');
      // In this state (01) it has a timer (02: keepalive), with the time left in hundredths of a second.
      const timer = new RegExp(`^ *\\d+: \\S+:${port16} \\S+ 01 \\S+ 02:(\\w+)`, 'm');
      const left = await until('the timer', () => timer.exec(readFileSync('/proc/net/tcp', 'utf8'))?.[1]);
      expect(Number.parseInt(left, 16)).toBeLessThanOrEqual(1000);
    } finally {
      socket.destroy();
    }
  });
});

describe('a peer that accepts a connection and says nothing', () => {
  it('is given up, so that the request can go elsewhere', async () => {
    const silent = await listenRaw();
    await expect(dialled(`https://127.0.0.1:${silent.port}`, 50)).rejects.toMatchObject({
      code: 'ETIMEDOUT',
    });
    await Promise.all(silent.sockets.map(closed));
    await silent.close();
  });
});

describe('a TLS connection', () => {
  it('is opened with a trusted certificate for the name, and the next one resumes the session', async () => {
    trust();
    const [post] = postTo(['holdfast.test']);
    expect(await post?.()).toMatchObject({ ok: true, status: 200 });
    expect(await post?.()).toMatchObject({ ok: true, status: 200 });
    expect(seen).toEqual([
      { servername: 'holdfast.test', isResumed: false, alpn: 'http/1.1' },
      { servername: 'holdfast.test', isResumed: true, alpn: 'http/1.1' },
    ]);
  });

  it('sends no server name for an address, which must be in the certificate', async () => {
    trust();
    const [post] = postTo(['127.0.0.1']);
    expect(await post?.()).toMatchObject({ ok: true });
    expect(seen).toEqual([{ servername: false, isResumed: false, alpn: 'http/1.1' }]);
  });

  it('is refused with a certificate for another name, also after a trusted connection', async () => {
    trust();
    const [right, wrong] = postTo(['holdfast.test', 'other.test']);
    expect(await right?.()).toMatchObject({ ok: true });
    const message = 'the certificate is for another host name than that of the URL';
    expect(await wrong?.()).toMatchObject({ ok: false, stage: 'tls', message });
    expect(seen).toHaveLength(1);
  });

  it('is refused with an untrusted certificate, and the provider is reported as not reached', async () => {
    const [post] = postTo(['holdfast.test']);
    const message = 'the certificate is self-signed; use one of a public certificate authority';
    expect(await post?.()).toMatchObject({ ok: false, stage: 'tls', message });
    const client = createTrustedHttp({ baseUrl: `https://127.0.0.1:${port}` });
    expect(await client.request('POST', 'x')).toMatchObject({ ok: false, reached: 'no', reason: 'network' });
    client.close();
    expect(seen).toHaveLength(0);
  });

  it('is closed when the peer sends too many TLS sessions', async () => {
    trust();
    const socket = await dialled();
    const closed = once(socket, 'close').catch(() => {});
    // Node's own server sends only two.
    for (let i = 0; i < 17 && !socket.destroyed; i++) socket.emit('session', Buffer.alloc(0));
    const isEnded = socket.destroyed;
    socket.destroy();
    await closed;
    expect(isEnded).toBe(true);
  });
});
