import { until } from '../until.ts';
import { redisCli } from './redisCli.ts';
import { type RedisNode, startRedisNode } from './redisNode.ts';

const password = 'of-the-master';
const sentinelPassword = 'of-the-sentinels';

/** A master, its replica, and three sentinels that watch them, all on loopback. */
export async function startRedisSentinel() {
  const settings = [`requirepass ${password}`, `masterauth ${password}`];
  const master = await startRedisNode(settings);
  const replica = await startRedisNode([...settings, `replicaof 127.0.0.1 ${master.port}`]);
  await until('the replica follows', async () =>
    (await redisCli(replica.port, password, 'INFO', 'replication')).includes('master_link_status:up'),
  );
  const watch = [
    `requirepass ${sentinelPassword}`,
    `sentinel sentinel-pass ${sentinelPassword}`,
    `sentinel monitor main 127.0.0.1 ${master.port} 2`,
    `sentinel auth-pass main ${password}`,
    'sentinel down-after-milliseconds main 1000',
    'sentinel failover-timeout main 5000',
  ];
  const sentinels: RedisNode[] = [];
  for (let count = 0; count < 3; count++) sentinels.push(await startRedisNode(watch, { isSentinel: true }));
  for (const { port } of sentinels)
    await until('the sentinels know each other and the replica', async () =>
      /num-slaves\n1\nnum-other-sentinels\n2\n/.test(
        await redisCli(port, sentinelPassword, 'SENTINEL', 'MASTER', 'main'),
      ),
    );
  const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return {
    url: `redis+sentinel://:${password}@${hosts}/main/2?sentinelpassword=${sentinelPassword}`,
    master,
    replica,
    isReplicaMaster: async () =>
      (await redisCli(replica.port, password, 'INFO', 'replication')).includes('role:master'),
    stop: () => Promise.all([...sentinels, master, replica].map((node) => node.stop())),
  };
}
