import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { testFolder } from '@holdfast/testkit/testFolder';

export const tlsHost = 'fal.holdfast.test';

/** For that host, those below it and `localhost`; self-signed, valid until 2120. */
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
  'MIIBmjCCAT+gAwIBAgIBATAKBggqhkjOPQQDAjAcMRowGAYDVQQDDBFmYWwuaG9sZGZhc3QudGVzdDAgFw0yMDAxMDEwMDAwMDBaGA8y' +
  'MTIwMDEwMTAwMDAwMFowHDEaMBgGA1UEAwwRZmFsLmhvbGRmYXN0LnRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARSNF5BQ2xi' +
  'BgxbqHzwQLtZqYB/CwNFQHG+2Omsa2e5S7C6SHDrSWoAZysIuhk39xbwX5r61UCjIhuvgv/aSExro3AwbjA8BgNVHREENTAzghFmYWwu' +
  'aG9sZGZhc3QudGVzdIITKi5mYWwuaG9sZGZhc3QudGVzdIIJbG9jYWxob3N0MA8GA1UdEwEB/wQFMAMBAf8wHQYDVR0OBBYEFDWw1NOu' +
  '936ptHOJXxlp48u++stNMAoGCCqGSM49BAMCA0kAMEYCIQDDpVsI1DoalQzh+KVbcMX9K3a0klH6U6qlbOB9bNr3QQIhANikRSjvMkCV' +
  'RzYjeEU6OVuBNJfffJsMueDCH57BXOuv';
const certificate = `-----BEGIN CERTIFICATE-----\n${der.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;

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
    /** The target itself, for a client that uses no proxy. */
    httpsUrl: `https://localhost:${(balancer.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      const closed = [proxy, balancer].map((server) => once(server.close(), 'close'));
      balancer.closeAllConnections();
      await Promise.all(closed);
    },
  };
}

/** The environment in which programs for Node and Python trust its certificate. */
export function trustingTls(): Record<string, string> {
  const trusted = join(testFolder('certificates'), 'ca.pem');
  writeFileSync(trusted, certificate);
  return { NODE_EXTRA_CA_CERTS: trusted, SSL_CERT_FILE: trusted };
}
