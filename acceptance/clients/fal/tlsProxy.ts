import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';

export const tlsHost = 'fal.holdfast.test';

/** For that host and those below it; self-signed, valid until 2120. */
const key = createPrivateKey({
  format: 'jwk',
  key: {
    kty: 'EC',
    crv: 'P-256',
    x: 'UjReQUNsYgYMW6h88EC7WamAfwsDRUBxvtjprGtnuUs',
    y: 'sLpIcOtJagBnKwi6GTf3FvBfmvrVQKMiG6-C_9pITGs',
    d: 'o0UdlSIt6-6_WT8d7LyqwA99qDzvh2n0hvx0AeAssLE',
  },
}).export({ format: 'pem', type: 'pkcs8' });
const der =
  'MIIBjTCCATSgAwIBAgIBATAKBggqhkjOPQQDAjAcMRowGAYDVQQDDBFmYWwuaG9sZGZhc3QudGVzdDAgFw0yMDAxMDEwMDAwMDBa' +
  'GA8yMTIwMDEwMTAwMDAwMFowHDEaMBgGA1UEAwwRZmFsLmhvbGRmYXN0LnRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARS' +
  'NF5BQ2xiBgxbqHzwQLtZqYB/CwNFQHG+2Omsa2e5S7C6SHDrSWoAZysIuhk39xbwX5r61UCjIhuvgv/aSExro2UwYzAxBgNVHREE' +
  'KjAoghFmYWwuaG9sZGZhc3QudGVzdIITKi5mYWwuaG9sZGZhc3QudGVzdDAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBQ1sNTT' +
  'rvd+qbRziV8ZaePLvvrLTTAKBggqhkjOPQQDAgNHADBEAiAxLJs4dH9wlapdVcF/wL7qZUNko7LzjHPdDRvniZRDUwIgMi5/pk5Z' +
  '2lYpDXTGcry205p+8D3SyONNU1KTvSbIga8=';
export const certificate = `-----BEGIN CERTIFICATE-----\n${der.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;

/**
 * The proxy of a client that speaks https alone, and ends its TLS as a load balancer would: whatever host it connects to is
 * the target.
 */
export async function startTlsProxy(target: string) {
  const sockets = new Set<Socket>();
  const balancer = https.createServer({ key, cert: certificate }, (incoming, response) => {
    const { method, url = '/', headers } = incoming;
    const forwarded = { ...headers, 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.1' };
    const outgoing = http.request(new URL(target), { method, path: url, headers: forwarded }, (from) => {
      response.writeHead(from.statusCode ?? 502, from.headers);
      from.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    incoming.on('error', () => outgoing.destroy());
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  const proxy = http.createServer((_request, response) => void response.writeHead(405).end());
  proxy.on('connect', (_request: IncomingMessage, client: Socket) => {
    const { port } = balancer.address() as AddressInfo;
    const server = connect(port, '127.0.0.1', () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
    for (const socket of [client, server]) sockets.add(socket.on('error', () => socket.destroy()));
    client.pipe(server).pipe(client);
  });
  for (const server of [balancer, proxy]) await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      const closed = [proxy, balancer].map((server) => once(server.close(), 'close'));
      balancer.closeAllConnections();
      await Promise.all(closed);
    },
  };
}
