import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { servicePort } from '@holdfast/local/launch/ports';
import { type Ending, endProcess } from '@holdfast/local/process/processes';
import { requireFree, startServer } from '@holdfast/local/process/server';
import { redisCommand } from '@holdfast/local/redis';
import { testFolder } from '@holdfast/testkit/testFolder';

export type RedisNode = {
  port: number;
  folder: string;
  signal(name: NodeJS.Signals): void;
  kill(): Promise<void>;
  /** After `kill`: on the same port, with the configuration as Redis left it. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

const gently: Ending = [
  ['SIGTERM', 5000],
  ['SIGKILL', 2000],
];

/** A Redis or a sentinel on loopback, with these lines in its configuration, in a new folder under `root`. */
export async function startRedisNode(
  settings: string[],
  { isSentinel = false, root }: { isSentinel?: boolean; root?: string | undefined } = {},
): Promise<RedisNode> {
  const folder = testFolder('redis', root);
  const port = await freeNodePort();
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
  const start = async () => {
    const child = await startServer({
      name: `Redis on ${folder}`,
      command: await redisCommand(),
      args: [file, ...(isSentinel ? ['--sentinel'] : [])],
      ready: isSentinel ? /Sentinel ID is/ : /Ready to accept connections/,
      timeoutMs: 20_000,
    });
    return { pid: child.pid, gone: once(child, 'exit') };
  };
  let running = await start();
  const end = async (ending: Ending) => {
    await endProcess(running.pid, ending);
    await running.gone;
  };
  return {
    port,
    folder,
    signal: (name) => void process.kill(running.pid, name),
    kill: () => end([['SIGKILL', 2000]]),
    async restart() {
      running = await start();
    },
    stop: () => end(gently),
  };
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
