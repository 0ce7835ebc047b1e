import { type ChildProcess, spawn } from 'node:child_process';
import net, { type AddressInfo, type Socket } from 'node:net';
import tls from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import { cert, closed, key, listenRaw, postLocally as post, postInVain } from './testing/servers.ts';

const closers: (() => unknown)[] = [];

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

async function receiver(onHello: (socket: Socket) => void) {
  const server = await listenRaw(onHello);
  closers.push(server.close);
  return { url: server.url.replace('http:', 'https:'), sockets: server.sockets };
}

/** The start of a handshake record of 16 KiB. */
const greeting = Buffer.from([0x16, 3, 3, 0x40, 0, 2, 0, 0x3f, 0xfc, 3, 3]);

describe('a post times out when the peer does not finish its handshake:', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['it says nothing', () => {}],
    [
      'its greeting drips',
      (socket) => {
        socket.write(greeting);
        const timer = setInterval(() => socket.write('\u0000'), 10);
        closers.push(() => clearInterval(timer));
      },
    ],
  ])('%s', async (_what, act) => {
    const { server, result } = await postInVain(() => receiver(act));
    expect(result).toMatchObject({
      stage: 'timeout',
      message: 'no TLS handshake within 300 ms',
    });
    await Promise.all(server.sockets.map(closed));
    expect(server.sockets).toHaveLength(1);
  });
});

describe('a post fails at the stage tls when the peer', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['it is closed', (socket) => socket.end()],
    ['it is reset', (socket) => socket.resetAndDestroy()],
    ['the peer speaks HTTP', (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['an alert', (socket) => socket.write(Buffer.from([0x15, 3, 3, 0, 2, 2, 40]))],
    [
      'endless garbage',
      (socket) => {
        while (socket.write('\u0016'.repeat(65_536)));
      },
    ],
  ])('%s', async (_what, act) => {
    const server = await receiver(act);
    expect(await post(server.url)).toMatchObject({ ok: false, stage: 'tls' });
    await Promise.all(server.sockets.map(closed));
  });
});

it('refuses a renegotiation', async () => {
  const defaultCertificates = tls.getCACertificates('default');
  tls.setDefaultCACertificates([cert]);
  closers.push(() => tls.setDefaultCACertificates(defaultCertificates));
  let renegotiated = 0;
  const server = tls.createServer({ key, cert, maxVersion: 'TLSv1.2' }, (socket) => {
    socket.on('error', () => socket.destroy());
    const again = () =>
      socket.renegotiate({}, (error) => {
        renegotiated += error ? 0 : 1;
        if (!error && renegotiated < 10) again();
      });
    again();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  expect(await post(`https://127.0.0.1:${port}/`)).toMatchObject({ ok: false, stage: 'response' });
  expect(renegotiated).toBe(0);
});

/** It listens and accepts no connection. */
const deaf = `
  const server = require('node:net').createServer().listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => {
    process.stdout.write(String(server.address().port) + '\\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;

async function startDeaf(): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, ['-e', deaf], { stdio: ['ignore', 'pipe', 'inherit'] });
  closers.push(() => child.kill('SIGKILL'));
  const port = await new Promise<number>((resolve) => {
    child.stdout?.once('data', (line) => resolve(Number(line)));
  });
  return { child, port };
}

it('times out when the peer accepts no connection', async () => {
  const { port } = await startDeaf();
  const url = `http://127.0.0.1:${port}/`;
  // Its queue is full once a connect gets no response.
  const messages = new Set<string>();
  for (let i = 0; i < 5; i++) {
    const filler = net.connect(port, '127.0.0.1').on('error', () => {});
    closers.push(() => filler.destroy());
  }
  for (let i = 0; i < 3; i++) {
    const result = await post(url, { timeoutMs: 300 });
    expect(result).toMatchObject({ stage: 'timeout' });
    if (!result.ok) messages.add(result.message);
  }
  expect([...messages]).toEqual(['no connection within 300 ms']);
});
