import { until } from '@holdfast/testkit/until';
import { redisCli } from './redisCli.ts';
import { type RedisNode, startRedisNode } from './redisNode.ts';
import { cliOver, type TlsFiles, tlsSettings } from './redisTls.ts';

const password = 'of-the-master';
const sentinelPassword = 'of-the-sentinels';

/** A master, its replica, and three sentinels that watch them, all on loopback; over TLS if they get a certificate. */
export async function startRedisSentinel({ tls, root }: { tls?: TlsFiles; root?: string } = {}) {
  const encrypted = tls ? [...tlsSettings(tls), 'tls-replication yes'] : [];
  const over = cliOver(tls);
  const ask = (port: number, secret: string, ...args: string[]) => redisCli(port, secret, ...over, ...args);
  const settings = [...encrypted, `requirepass ${password}`, `masterauth ${password}`];
  const master = await startRedisNode(settings, { root });
  const replica = await startRedisNode([...settings, `replicaof 127.0.0.1 ${master.port}`], { root });
  await until('the replica follows', async () =>
    (await ask(replica.port, password, 'INFO', 'replication')).includes('master_link_status:up'),
  );
  const watch = [
    ...encrypted,
    `requirepass ${sentinelPassword}`,
    `sentinel sentinel-pass ${sentinelPassword}`,
    `sentinel monitor main 127.0.0.1 ${master.port} 2`,
    `sentinel auth-pass main ${password}`,
    'sentinel down-after-milliseconds main 1000',
    'sentinel failover-timeout main 5000',
  ];
  const sentinels: RedisNode[] = [];
  for (let count = 0; count < 3; count++)
    sentinels.push(await startRedisNode(watch, { isSentinel: true, root }));
  for (const { port } of sentinels)
    await until('the sentinels know each other and the replica', async () =>
      /num-slaves\n1\nnum-other-sentinels\n2\n/.test(
        await ask(port, sentinelPassword, 'SENTINEL', 'MASTER', 'main'),
      ),
    );
  const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const masterPort = async (at = sentinels.at(-1)) => {
    const address = await ask(at?.port ?? 0, sentinelPassword, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'main');
    return Number(address.split('\n')[1]);
  };
  return {
    url: `redis${tls ? 's' : ''}+sentinel://:${password}@${hosts}/main/2?sentinelpassword=${sentinelPassword}${tls ? `&cafile=${tls.certFile}` : ''}`,
    nodes: [master, replica],
    /** In the order of the URL. */
    sentinels,
    /** As the sentinels say. */
    masterPort: () => masterPort(),
    /** All sentinels name the same master, which has its replica, and could fail over to it. */
    async isWhole(): Promise<boolean> {
      const port = await masterPort();
      if (!/state=online/.test(await ask(port, password, 'INFO', 'replication'))) return false;
      for (const sentinel of sentinels) {
        if ((await masterPort(sentinel)) !== port) return false;
        const replicas = await ask(sentinel.port, sentinelPassword, 'SENTINEL', 'REPLICAS', 'main');
        if (!/\nflags\nslave\n[^]*master-link-status\nok\n/.test(replicas)) return false;
      }
      return true;
    },
    stop: () => Promise.all([...sentinels, master, replica].map((node) => node.stop())),
  };
}
