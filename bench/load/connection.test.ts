import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { openConnection } from './connection.ts';

const server = createServer();
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.removeAllListeners('connection');
  server.close();
  await once(server, 'close');
});

/** Answers each request by what `answer` says; null: the connection is closed instead. */
async function connectionTo(answer: (nth: number) => string | null) {
  let requests = 0;
  server.on('connection', (socket: Socket) => {
    sockets.push(socket);
    socket.on('data', () => {
      const text = socket.writableEnded ? null : answer(requests++);
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
  it('reads an answer after the other', async () => {
    const connection = await connectionTo((nth) => accepted(`${nth}`));
    expect(await connection.exchange('x')).toEqual({ status: 202, body: '0' });
    expect(await connection.exchange('x')).toEqual({ status: 202, body: '1' });
    expect(sockets).toHaveLength(1);
  });

  it('is dialled anew after the gateway closed it', async () => {
    const connection = await connectionTo((nth) => accepted(`${nth}`));
    await connection.exchange('x');
    sockets[0]?.end();
    expect(await connection.exchange('x')).toEqual({ status: 202, body: '1' });
    expect(sockets).toHaveLength(2);
  });

  it('sends once more what crossed with a closing, and no oftener', async () => {
    const connection = await connectionTo((nth) => (nth === 1 || nth > 2 ? null : accepted(`${nth}`)));
    await connection.exchange('x');
    expect(await connection.exchange('x')).toEqual({ status: 202, body: '2' });
    await expect(connection.exchange('x')).rejects.toThrow('closed the connection');
  });
});
