import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import net, { type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { closed, listenRaw, postLocally as post, postInVain } from './testing/servers.ts';

const limitBytes = 65_536;
/** The size of one read, and what may be read before reading stops. */
const overshootBytes = 2 * 65_536;

const closers: (() => unknown)[] = [];
/** Our sockets during a test. */
const dialled: Socket[] = [];
const onDialled = (message: unknown) => {
  dialled.push((message as { socket: Socket }).socket);
};

beforeEach(() => subscribe('net.client.socket', onDialled));
afterEach(async () => {
  unsubscribe('net.client.socket', onDialled);
  dialled.length = 0;
  await Promise.all(closers.splice(0).map((close) => close()));
});

/** A receiver that does this for each complete request. */
async function receiver(act: (socket: Socket, number: number) => void, onConnection?: (s: Socket) => void) {
  const responded = new Map<Socket, number>();
  const server = await listenRaw((socket, received) => {
    const requests = received.split('{"a":1}').length - 1;
    const before = responded.get(socket) ?? 0;
    responded.set(socket, requests);
    if (requests > before) act(socket, requests);
  }, onConnection);
  closers.push(server.close);
  return server;
}

/** Writes as much as the other side reads. */
function flood(socket: Socket, text: string): void {
  const chunk = text.repeat(Math.ceil(16_384 / text.length));
  const write = () => {
    while (socket.writable && socket.write(chunk));
  };
  socket.on('drain', write);
  write();
}

/** Writes a little at a time, for ever. */
function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 10);
  closers.push(() => clearInterval(timer));
}

/** Both sides are closed, and no more than the limit was read. */
async function expectOver(server: { sockets: Socket[] }): Promise<void> {
  await Promise.all(dialled.map(closed));
  await Promise.all(server.sockets.map(closed));
  expect(dialled).toHaveLength(1);
  expect(dialled[0]?.bytesRead).toBeLessThanOrEqual(limitBytes + overshootBytes);
}

const head = (...lines: string[]) => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n');

describe('a post times out when the receiver never finishes:', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['it says nothing', () => {}],
    ['it sends blank lines', (socket) => drip(socket, '\r\n')],
    [
      'its status line drips',
      (socket) => {
        socket.write('HTTP/1.1 200 ');
        drip(socket, 'O');
      },
    ],
    [
      'its head drips',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
        drip(socket, 'a');
      },
    ],
    [
      'its header lines drip',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        drip(socket, 'x: y\r\n');
      },
    ],
    ['its hints drip', (socket) => drip(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n')],
    ['its progress drips', (socket) => drip(socket, 'HTTP/1.1 102 Processing\r\n\r\n')],
    [
      'its body drips',
      (socket) => {
        socket.write(head('content-length: 60000'));
        drip(socket, 'a');
      },
    ],
    [
      'its chunks drip',
      (socket) => {
        socket.write(head('transfer-encoding: chunked'));
        drip(socket, '1\r\na\r\n');
      },
    ],
    [
      'its chunk extension drips',
      (socket) => {
        socket.write(`${head('transfer-encoding: chunked')}1;x=`);
        drip(socket, 'a');
      },
    ],
    [
      'its trailer drips',
      (socket) => {
        socket.write(`${head('transfer-encoding: chunked')}0\r\nx: `);
        drip(socket, 'a');
      },
    ],
    ['its body is shorter than declared', (socket) => socket.write(`${head('content-length: 10')}short`)],
    ['its body has no end', (socket) => socket.write(`${head()}some`)],
  ])('%s', async (_what, act) => {
    const { server, result } = await postInVain(() => {
      dialled.length = 0;
      return receiver(act);
    });
    expect(result).toMatchObject({
      stage: 'timeout',
      message: 'no complete response within 300 ms',
    });
    await expectOver(server);
  });

  it('the receiver never reads the request', async () => {
    const start = async () => {
      const server = await listenRaw(undefined, (socket) => socket.pause());
      closers.push(server.close);
      return server;
    };
    const { result } = await postInVain(start, { body: 'x'.repeat(4 * 1024 * 1024) });
    expect(result).toMatchObject({ stage: 'timeout' });
    await Promise.all(dialled.map(closed));
    expect(dialled.at(-1)?.bytesWritten).toBeGreaterThan(0);
  });
});

describe('a post fails with our own message when the receiver sends invalid HTTP:', () => {
  it.each(['099 Odd', '000 Odd', '101 Switching Protocols'])('the status %s', async (status) => {
    const server = await receiver((socket) => socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`));
    expect(await post(server.url)).toMatchObject({ stage: 'response', message: 'invalid HTTP response' });
    await expectOver(server);
  });
});

describe('a post fails and closes the connection when the receiver sends more than 64 KiB:', () => {
  it.each<[string, (socket: Socket) => void, RegExp]>([
    ['endless hints', (socket) => flood(socket, 'HTTP/1.1 103 \r\nlink: </a>\r\n\r\n'), /more than 65536/],
    ['endless progress', (socket) => flood(socket, 'HTTP/1.1 102 \r\n\r\n'), /more than 65536/],
    ['endless continues', (socket) => flood(socket, 'HTTP/1.1 100 Continue\r\n\r\n'), /more than 65536/],
    ['endless blank lines', (socket) => flood(socket, '\r\n'), /more than 65536/],
    [
      'an endless reason',
      (socket) => {
        socket.write('HTTP/1.1 200 ');
        flood(socket, 'OK');
      },
      /more than 65536/,
    ],
    [
      'an endless header',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nx: ');
        flood(socket, 'a');
      },
      /Headers Overflow/,
    ],
    [
      'an endless header name',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        flood(socket, 'a');
      },
      /Headers Overflow/,
    ],
    [
      '10,000 header lines',
      (socket) => socket.write(head(...Array(10_000).fill('a: b'))),
      /Headers Overflow/,
    ],
    [
      'endless trailers',
      (socket) => {
        socket.write(`${head('transfer-encoding: chunked')}0\r\n`);
        flood(socket, 'a: b\r\n');
      },
      /Headers Overflow/,
    ],
  ])('%s', async (_what, act, message) => {
    const server = await receiver(act);
    expect(await post(server.url)).toMatchObject({
      stage: 'response',
      message: expect.stringMatching(message),
    });
    await expectOver(server);
  });
});

describe('a response that is too long counts with its start:', () => {
  it.each<[string, (socket: Socket) => void, number]>([
    [
      'a body without end',
      (socket) => {
        socket.write(head());
        flood(socket, 'a');
      },
      limitBytes,
    ],
    [
      'a body of many chunks',
      (socket) => {
        socket.write(head('transfer-encoding: chunked'));
        flood(socket, '1\r\na\r\n');
      },
      10_000,
    ],
    [
      'an endless chunk extension',
      (socket) => {
        socket.write(`${head('transfer-encoding: chunked')}1;x=`);
        flood(socket, 'a');
      },
      0,
    ],
    [
      'hints, a head and a body that are together too long',
      (socket) => {
        for (let i = 0; i < 5; i++) socket.write(`HTTP/1.1 103 Hints\r\nx: ${'h'.repeat(10_000)}\r\n\r\n`);
        socket.write(`${head(`x: ${'h'.repeat(10_000)}`, 'content-length: 60000')}${'a'.repeat(50_000)}`);
      },
      1,
    ],
  ])('%s', async (_what, act, leastBytes) => {
    const server = await receiver(act);
    const result = await post(server.url);
    expect(result).toMatchObject({ ok: true, status: 200 });
    const body = result.ok ? result.body : Buffer.alloc(0);
    expect(body.length).toBeGreaterThanOrEqual(leastBytes);
    expect(body.length).toBeLessThanOrEqual(limitBytes);
    expect(String(body)).toBe('a'.repeat(body.length));
    await expectOver(server);
  });

  it('a compressed bomb, which is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024));
    const server = await receiver((socket) => {
      socket.write(head('content-encoding: gzip', `content-length: ${bomb.length}`));
      socket.write(bomb);
    });
    const result = await post(server.url);
    expect(result).toMatchObject({ ok: true, body: bomb.subarray(0, limitBytes) });
  });

  it('a thousand chunks of one byte', async () => {
    const server = await receiver((socket) => {
      const text = Array.from({ length: 1000 }, (_, i) => `1\r\n${i % 10}\r\n`).join('');
      socket.write(`${head('transfer-encoding: chunked')}${text}0\r\n\r\n`);
    });
    expect(await post(server.url)).toMatchObject({ body: Buffer.from('0123456789'.repeat(100)) });
  });
});

describe('a post fails at the stage response for', () => {
  it.each<[string, string]>([
    ['HTTP/0.9', '<html>hello</html>'],
    ['garbage', '\u0000\u0001\u0002\u0003'.repeat(100)],
    ['a preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['frames of HTTP/2', '\u0000\u0000\u0012\u0004\u0000\u0000\u0000\u0000\u0000'],
    ['a record of TLS', '\u0015\u0003\u0001\u0000\u0002\u0002\u0046'],
    ['another protocol', '220 mail.example ESMTP\r\n'],
    ['a request', 'POST / HTTP/1.1\r\nhost: a\r\n\r\n'],
    ['an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'],
    ['two lengths', head('content-length: 2', 'content-length: 5') + '{}{}{}'],
    ['a length and chunks', head('content-length: 2', 'transfer-encoding: chunked') + '0\r\n\r\n'],
    ['a negative length', head('content-length: -1')],
    ['a length beyond numbers', head('content-length: 99999999999999999999')],
    ['a chunk beyond numbers', head('transfer-encoding: chunked') + 'fffffffffffffffffff\r\n'],
    ['a header without a name', head(': x')],
    ['a bare carriage return', 'HTTP/1.1 200 OK\rx: y\r\n\r\n'],
  ])('%s', async (_what, text) => {
    const server = await receiver((socket) => socket.write(text, 'latin1'));
    expect(await post(server.url)).toMatchObject({ stage: 'response' });
    await expectOver(server);
  });

  it.each<[string, (socket: Socket) => void]>([
    ['a connection that is closed without a response', (socket) => socket.end()],
    ['a connection that is reset without a response', (socket) => socket.resetAndDestroy()],
    ['a hint and then nothing', (socket) => socket.end('HTTP/1.1 103 Hints\r\n\r\n')],
    ['half a head', (socket) => socket.end('HTTP/1.1 200 OK\r\nx: ')],
    ['half a body', (socket) => socket.end(`${head('content-length: 10')}half`)],
    ['half a chunk', (socket) => socket.end(`${head('transfer-encoding: chunked')}5\r\nab`)],
    [
      'a reset in the middle of a body',
      (socket) => socket.write(`${head('content-length: 10')}half`, () => socket.resetAndDestroy()),
    ],
  ])('%s', async (_what, act) => {
    const server = await receiver(act);
    expect(await post(server.url)).toMatchObject({ stage: 'response' });
    await expectOver(server);
  });

  it('a connection that is half closed', async () => {
    const server = net.createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => server.close());
    const { port } = server.address() as net.AddressInfo;
    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ stage: 'response' });
    await Promise.all(dialled.map(closed));
  });
});

describe('a post accepts an odd response:', () => {
  it.each<[string, string, number, string]>([
    [
      'an offer to upgrade',
      head('connection: upgrade', 'upgrade: h2c', 'content-length: 2') + '{}',
      200,
      '{}',
    ],
    [
      'header names of objects',
      head('__proto__: a', 'constructor: b', 'content-length: 2') + '{}',
      200,
      '{}',
    ],
    ['a 100 Continue before it', `HTTP/1.1 100 Continue\r\n\r\n${head('content-length: 2')}{}`, 200, '{}'],
    [
      'every interim response before it',
      `HTTP/1.1 100\r\n\r\nHTTP/1.0 102 Processing\r\nx: y\r\n\r\nHTTP/1.1 103 Hints\r\n\r\n${head('content-length: 2')}{}`,
      200,
      '{}',
    ],
    ['its length twice', head('Content-Length: 2', 'x: y', 'content-length:  2') + '{}', 200, '{}'],
    ['its length four times', head(...Array(4).fill('content-length: 2')) + '{}', 200, '{}'],
    [
      'a body like a head',
      head('content-length: 29') + 'HTTP/1.1 100 Continue\r\n\r\n{}{}',
      200,
      'HTTP/1.1 100 Continue\r\n\r\n{}{}',
    ],
    ['a reason that is not there', 'HTTP/1.1 204\r\n\r\n', 204, ''],
    ['an unknown status', 'HTTP/1.1 999 x\r\ncontent-length: 0\r\n\r\n', 999, ''],
    ['one of HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\n{}', 200, '{}'],
  ])('%s', async (_what, text, status, body) => {
    const server = await receiver((socket) => socket.write(text));
    expect(await post(server.url)).toMatchObject({ ok: true, status, body: Buffer.from(body) });
  });

  it('in pieces of one byte, again on the same connection', async () => {
    const text = `HTTP/1.1 100 Continue\r\n\r\n${head('content-length: 2', 'content-length: 2')}{}`;
    const server = await receiver((socket) => {
      socket.setNoDelay(true);
      for (const byte of text) socket.write(byte);
    });
    for (let i = 0; i < 2; i++) expect(await post(server.url)).toMatchObject({ ok: true, status: 200 });
    expect(server.sockets).toHaveLength(1);
  });

  it('a response before the request is read, whose connection is not reused', async () => {
    const server = await listenRaw(undefined, (socket) => {
      socket.pause();
      socket.write(`${head('content-length: 2')}{}`);
    });
    closers.push(server.close);
    const body = 'x'.repeat(4 * 1024 * 1024);
    expect(await post(server.url, { body })).toMatchObject({ ok: true, status: 200 });
    expect(await post(server.url, { body })).toMatchObject({ ok: true, status: 200 });
    await Promise.all(dialled.map(closed));
    expect(server.sockets).toHaveLength(2);
  });
});
