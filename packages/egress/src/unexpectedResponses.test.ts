import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { closed, listenRaw, postLocally, type RawServer } from './testing/servers.ts';

const servers: RawServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const reply = (text: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`;

async function receiver(onRequest: (socket: Socket, number: number) => void) {
  let requests = 0;
  const server = await listenRaw((socket, received) => {
    if (received.endsWith('{"a":1}')) onRequest(socket, ++requests);
  });
  servers.push(server);
  return server;
}

const textOf = async (url: string) => {
  const result = await postLocally(url);
  return result.ok ? String(result.body) : result.message;
};

describe('an unexpected response', () => {
  it.each([
    ['a whole one', reply('stray')],
    ['its first byte', 'H'],
    ['a body longer than declared', 'stray'],
    ['a hint', 'HTTP/1.1 103 Hints\r\n\r\n'],
  ])('is not returned for the next request: %s', async (_what, stray) => {
    const server = await receiver((socket, number) =>
      socket.write(number === 1 ? reply('first') + stray : reply('second')),
    );
    expect(await textOf(server.url)).toBe('first');
    expect(await textOf(server.url)).toBe('second');
    expect(server.sockets).toHaveLength(2);
  });

  it('closes an idle connection', async () => {
    const server = await receiver((socket, number) => socket.write(reply(number === 1 ? 'first' : 'second')));
    expect(await textOf(server.url)).toBe('first');
    for (const kept of server.sockets) {
      kept.write(reply('stray'));
      await closed(kept);
    }
    expect(await textOf(server.url)).toBe('second');
    expect(server.sockets).toHaveLength(2);
  });

  it('is not returned when a body follows a status without one', async () => {
    const server = await receiver((socket, number) =>
      socket.write(
        number === 1 ? `HTTP/1.1 204 None\r\ncontent-length: 99\r\n\r\n${reply('stray')}` : reply('second'),
      ),
    );
    expect(await textOf(server.url)).toBe('');
    expect(await textOf(server.url)).toBe('second');
  });
});
