import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { servicePort } from '@holdfast/local/launch/ports';
import { type Ending, endProcess } from '@holdfast/local/process/processes';
import { requireFree, startServer } from '@holdfast/local/process/server';
import { redisCommand } from '@holdfast/local/redis';
import { testFolder } from '@holdfast/testkit/testFolder';

export type RedisNode = { port: number; folder: string; kill(): Promise<void>; stop(): Promise<void> };

const gently: Ending = [
  ['SIGTERM', 5000],
  ['SIGKILL', 2000],
];

/** A Redis or a sentinel on loopback, with these lines in its configuration. */
export async function startRedisNode(
  settings: string[],
  { isSentinel = false, port: wanted }: { isSentinel?: boolean; port?: number } = {},
): Promise<RedisNode> {
  const folder = testFolder('redis');
  const port = wanted ?? (await freeNodePort());
  const lines = [
    `dir ${folder}`,
    `pidfile ${folder}/redis.pid`,
    'bind 127.0.0.1',
    ...(settings.some((line) => line.startsWith('tls-port')) ? [] : [`port ${port}`]),
    ...(isSentinel ? [] : ['save ""', 'maxmemory-policy noeviction']),
    ...settings.map((line) => line.replaceAll('$PORT', String(port))),
  ];
  // A sentinel and a cluster node write their state into these files.
  const file = join(folder, 'redis.conf');
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  const child = await startServer({
    name: `Redis on ${folder}`,
    command: await redisCommand(),
    args: [file, ...(isSentinel ? ['--sentinel'] : [])],
    ready: isSentinel ? /Sentinel ID is/ : /Ready to accept connections/,
    timeoutMs: 20_000,
  });
  const gone = once(child, 'exit');
  const end = async (ending: Ending) => {
    await endProcess(child.pid, ending);
    await gone;
  };
  return { port, folder, kill: () => end([['SIGKILL', 2000]]), stop: () => end(gently) };
}

/** A free port whose cluster bus port (10,000 above) is free too, both below the kernel's range for outgoing connections. */
async function freeNodePort(): Promise<number> {
  for (;;) {
    const port = await servicePort();
    if (port > 22_700) continue;
    const isWhole = await requireFree(port + 10_000).then(
      () => true,
      () => false,
    );
    if (isWhole) return port;
  }
}
