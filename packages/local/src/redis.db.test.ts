import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { testFolder } from '@holdfast/testkit/testFolder';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startTicks } from './process/processes.ts';
import { redisCommand, startRedis } from './redis.ts';

let dir: string;

beforeEach(() => {
  dir = testFolder('redis');
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** The replies to inline commands, as Redis writes them. */
function ask(url: string, ...commands: string[]): Promise<string> {
  const { hostname, port, password } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write([`AUTH ${password}`, ...commands, 'QUIT', ''].join('\r\n'));
  return text(socket);
}

describe('startRedis', () => {
  it('keeps its data over a restart, and evicts no keys', async () => {
    const first = await startRedis({ dir });
    expect(await ask(first.url, 'CONFIG GET maxmemory-policy')).toContain('noeviction');
    await ask(first.url, 'SET kept yes');
    await first.stop();
    expect(startTicks(first.pid)).toBeNull();
    const second = await startRedis({ dir });
    expect(await ask(second.url, 'GET kept')).toContain('yes');
    await second.stop();
  });

  it('keeps its data from other users of the machine', async () => {
    chmodSync(dir, 0o755);
    const server = await startRedis({ dir });
    await ask(server.url, 'SET kept yes');
    const places = readdirSync(dir, { recursive: true, encoding: 'utf8' }).map((name) => join(dir, name));
    expect(places.some((place) => place.endsWith('.aof'))).toBe(true);
    for (const place of [dir, ...places]) expect([place, statSync(place).mode & 0o077]).toEqual([place, 0]);
    await server.stop();
  });

  it('has a URL that redis-cli accepts', async () => {
    const server = await startRedis({ dir, isDurable: false });
    const { stdout } = await promisify(execFile)('redis-cli', [
      '--no-auth-warning',
      '-u',
      server.url,
      'PING',
    ]);
    expect(stdout).toBe('PONG\n');
    await server.stop();
  });

  it('writes nothing to disk when it is not durable', async () => {
    const first = await startRedis({ dir, isDurable: false });
    await ask(first.url, 'SET kept yes');
    await first.stop();
    const second = await startRedis({ dir, isDurable: false });
    expect(await ask(second.url, 'GET kept')).toContain('$-1');
    await second.stop();
  });

  it('refuses connections without the password', async () => {
    const server = await startRedis({ dir, isDurable: false });
    expect(await ask(`redis://:wrong@127.0.0.1:${server.port}`, 'GET a')).toMatch(/WRONGPASS[^]*NOAUTH/);
    await server.stop();
  });

  it('takes over from a parent that was killed', async () => {
    const script = `const { startRedis } = await import(${JSON.stringify(join(import.meta.dirname, 'redis.ts'))});
      console.log((await startRedis({ dir: ${JSON.stringify(dir)} })).pid); setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const orphan = Number(((await once(parent.stdout, 'data')) as [Buffer])[0].toString());
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    const server = await startRedis({ dir });
    expect(startTicks(orphan)).toBeNull();
    await server.stop();
  });

  it('names a port that is in use, and a damaged folder', async () => {
    const server = await startRedis({ dir });
    await expect(startRedis({ dir: `${dir}/other`, port: server.port })).rejects.toThrow(
      `Port ${server.port} is in use.`,
    );
    await ask(server.url, 'SET kept yes');
    await server.stop();
    writeFileSync(join(dir, 'appendonlydir', 'appendonly.aof.manifest'), 'junk\n');
    await expect(startRedis({ dir })).rejects.toThrow(dir);
  });
});

describe('redisCommand', () => {
  it('says what to install when neither redis-server nor apt-get exists', async () => {
    await expect(redisCommand(undefined, dir)).rejects.toThrow(/install redis-server/);
  });

  it('installs nothing where it may not, even as root on Debian', async () => {
    const marker = join(dir, 'called');
    writeFileSync(join(dir, 'apt-get'), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
    await expect(redisCommand(null, dir)).rejects.toThrow(/install redis-server.*REDIS_URL/);
    expect(readdirSync(dir)).toEqual(['apt-get']);
  });
});
