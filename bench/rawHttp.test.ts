import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { openConnection, readMessage } from './rawHttp.ts';

const server = createServer();
const sockets: Socket[] = [];

/** Each request gets the response of `respond`; null: the connection is closed instead. */
async function connectionTo(respond: (nth: number) => string | null) {
  let requests = 0;
  server.on('connection', (socket: Socket) => {
    sockets.push(socket);
    socket.on('data', () => {
      const text = socket.writableEnded ? null : respond(requests++);
      if (text === null) socket.destroy();
      else socket.write(text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return openConnection('127.0.0.1', (server.address() as AddressInfo).port);
}

const accepted = (body: string) => `HTTP/1.1 202 Accepted\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

describe('a connection of the load', () => {
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    server.removeAllListeners('connection');
    server.close();
    await once(server, 'close');
  });

  it('reads one response after another', async () => {
    const connection = await connectionTo((nth) => accepted(`${nth}`));
    expect(await connection.exchange('x')).toEqual({ status: 202, body: '0' });
    expect(await connection.exchange('x')).toEqual({ status: 202, body: '1' });
    expect(sockets).toHaveLength(1);
  });

  it('is dialled again after the gateway closed it', async () => {
    const connection = await connectionTo((nth) => accepted(`${nth}`));
    await connection.exchange('x');
    sockets[0]?.end();
    expect(await connection.exchange('x')).toEqual({ status: 202, body: '1' });
    expect(sockets).toHaveLength(2);
  });

  it('repeats a request that crossed with the close, once', async () => {
    const connection = await connectionTo((nth) => (nth === 1 || nth > 2 ? null : accepted(`${nth}`)));
    await connection.exchange('x');
    expect(await connection.exchange('x')).toEqual({ status: 202, body: '2' });
    await expect(connection.exchange('x')).rejects.toThrow('closed the connection');
  });
});

const request = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n';

describe('readMessage', () => {
  it('returns null until the message is complete', () => {
    expect(readMessage('POST / HTTP/1.1\r\nContent-')).toBeNull();
    expect(readMessage(`${request}{`)).toBeNull();
    expect(readMessage(`${request}{}`)).toMatchObject({ body: '{}', length: request.length + 2 });
  });

  it('returns the first of several messages', () => {
    expect(readMessage(`${request}{}${request}[]`)).toMatchObject({ body: '{}', length: request.length + 2 });
  });

  it('reads Content-Length in any case, and takes a missing one for 0', () => {
    expect(readMessage('HTTP/1.1 202 Accepted\r\ncontent-length:1\r\n\r\nx')?.body).toBe('x');
    expect(readMessage('HTTP/1.1 204 No Content\r\n\r\n')?.body).toBe('');
  });
});
