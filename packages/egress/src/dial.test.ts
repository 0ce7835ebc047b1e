import { createPrivateKey } from 'node:crypto';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import tls, { type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createEgressPolicy } from './policy.ts';
import { postJson } from './post.ts';
import { createTrustedHttp } from './trusted.ts';

/** Of a server called `holdfast.test` or 127.0.0.1; signed by itself, until 2120. */
const key = createPrivateKey({
  format: 'jwk',
  key: {
    kty: 'EC',
    crv: 'P-256',
    x: 't9KgeounrfaoLgpnLfZgHsyfikDxLdSf_3mG0t1S638',
    y: 'az57m1cUQj85CAYDRIL01N50-w8BBn9odkrUvNgMBkY',
    d: 'huYDQNgtLJmcJcXBGXxMwk-SGoFUhtMzE1cRJAGH8kg',
  },
}).export({ format: 'pem', type: 'pkcs8' });
const der =
  'MIIBczCCARmgAwIBAgIBATAKBggqhkjOPQQDAjAYMRYwFAYDVQQDDA1ob2xkZmFzdC50ZXN0MCAXDTIwMDEwMTAwMDAwMFoYDzIx' +
  'MjAwMTAxMDAwMDAwWjAYMRYwFAYDVQQDDA1ob2xkZmFzdC50ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEt9Kgeounrfao' +
  'LgpnLfZgHsyfikDxLdSf/3mG0t1S639rPnubVxRCPzkIBgNEgvTU3nT7DwEGf2h2StS82AwGRqNSMFAwHgYDVR0RBBcwFYINaG9s' +
  'ZGZhc3QudGVzdIcEfwAAATAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBQgEre4EyvOXipkIlxsuJWWCj5hLzAKBggqhkjOPQQD' +
  'AgNIADBFAiEA13O3O7+BSNlkWlWlLZU/9obHxEc8GShEV1+TSCPL3XACICk9PE4kX2tAhcDG6wgo2e3yzESabuBfpFh6siZDuxuL';
const cert = `-----BEGIN CERTIFICATE-----\n${der}\n-----END CERTIFICATE-----\n`;

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
const usual = tls.getCACertificates('default');
let port = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.close();
});
afterEach(() => {
  tls.setDefaultCACertificates(usual);
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

describe('a TLS connection', () => {
  it('is made with a peer whose certificate is trusted, by its name; the next resumes the session', async () => {
    trust();
    const [post] = postTo(['holdfast.test']);
    expect(await post?.()).toMatchObject({ ok: true, status: 200 });
    expect(await post?.()).toMatchObject({ ok: true, status: 200 });
    expect(seen).toEqual([
      { servername: 'holdfast.test', isResumed: false, alpn: 'http/1.1' },
      { servername: 'holdfast.test', isResumed: true, alpn: 'http/1.1' },
    ]);
  });

  it('names no server where the URL has an address, which must be in the certificate', async () => {
    trust();
    const [post] = postTo(['127.0.0.1']);
    expect(await post?.()).toMatchObject({ ok: true });
    expect(seen).toEqual([{ servername: false, isResumed: false, alpn: 'http/1.1' }]);
  });

  it('is not made where the certificate is of another name, whoever trusted it before', async () => {
    trust();
    const [right, wrong] = postTo(['holdfast.test', 'other.test']);
    expect(await right?.()).toMatchObject({ ok: true });
    expect(await wrong?.()).toMatchObject({ ok: false, stage: 'tls' });
    expect(seen).toHaveLength(1);
  });

  it('is not made where nobody vouches for the certificate, and the provider was not reached', async () => {
    const [post] = postTo(['holdfast.test']);
    expect(await post?.()).toMatchObject({ ok: false, stage: 'tls' });
    const client = createTrustedHttp({ baseUrl: `https://127.0.0.1:${port}` });
    expect(await client.request('POST', 'x')).toMatchObject({ ok: false, reached: 'no', reason: 'network' });
    client.close();
    expect(seen).toHaveLength(0);
  });
});
