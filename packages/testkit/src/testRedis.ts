import { once } from 'node:events';
import { connect } from 'node:net';
import { readTestServers, workerNumber } from './config.ts';

/** A Redis database for the current test file, with leftovers of the previous one. */
export function testRedisUrl(): string {
  // Servers have 64 databases (local/redis); 0 stays unused.
  return `${readTestServers().redisUrl}/${1 + (workerNumber() % 63)}`;
}

/** Deletes every key of one Redis database; servers that tests start are empty anyway. */
export async function emptyRedis(url: string): Promise<void> {
  if (!url.startsWith('redis://')) return;
  const { hostname, port, password, pathname } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  // Inline commands; QUIT makes Redis close the connection after its last response.
  socket.write(`AUTH ${password}\r\nSELECT ${pathname.slice(1) || 0}\r\nFLUSHDB\r\nQUIT\r\n`);
  let replies = '';
  socket.on('data', (text: string) => {
    replies += text;
  });
  await once(socket, 'close');
  if (replies !== '+OK\r\n'.repeat(4))
    throw new Error(`Redis refused to empty a database: ${replies.trim()}`);
}
