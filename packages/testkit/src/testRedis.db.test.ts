import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { emptyRedis, testRedisUrl } from './testRedis.ts';

function ask(url: string, ...commands: string[]): Promise<string> {
  const { hostname, port, password, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write([`AUTH ${password}`, `SELECT ${pathname.slice(1)}`, ...commands, 'QUIT', ''].join('\r\n'));
  return text(socket);
}

describe('the tests’ Redis', () => {
  it('is a database of its worker, and never number 0', () => {
    expect(new URL(testRedisUrl()).pathname).toMatch(/^\/[1-9]\d?$/);
  });

  it('is emptied without touching another worker’s database', async () => {
    const mine = testRedisUrl();
    const others = mine.replace(/\d+$/, '63');
    await ask(mine, 'SET here 1');
    await ask(others, 'SET there 1');
    await emptyRedis(mine);
    expect(await ask(mine, 'DBSIZE')).toContain(':0');
    expect(await ask(others, 'DBSIZE')).toContain(':1');
    await emptyRedis(others);
  });

  it('reports that it cannot be emptied', async () => {
    await expect(emptyRedis(testRedisUrl().replace(/:[^:@]*@/, ':wrong@'))).rejects.toThrow(/WRONGPASS/);
  });
});
