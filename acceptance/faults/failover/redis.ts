import { until } from '@holdfast/testkit/until';
import { startRedisCluster } from '../engines/redisCluster.ts';
import { startRedisSentinel } from '../engines/redisSentinel.ts';
import { type Target, texts } from './target.ts';

const failoverWithinMs = 60_000;
const healthyWithinMs = 120_000;

/** In a cluster, the fault strikes the master of one of these in turn, each killed and then paused. */
const keys = ['dispatch', 'limits', 'deliver', 'settle', 'fanout', 'callback'];

/** A master and its replica behind three sentinels, or a cluster of three masters with a replica each. */
export async function startRedisTarget(kind: 'sentinel' | 'cluster', root: string): Promise<Target> {
  const redis =
    kind === 'sentinel' ? await startRedisSentinel({ root }) : await startRedisCluster({ replicas: 1, root });
  // The sentinel that services ask first runs on the machine of the master.
  const beside = 'sentinels' in redis ? redis.sentinels.slice(0, 1) : [];
  // redis-cli fails while a node starts.
  const isWhole = () => redis.isWhole().catch(() => false);
  const untilWhole = () => until('Redis has all its replicas', isWhole, healthyWithinMs);
  let rounds = 0;
  return {
    settings: { REDIS_URL: redis.url },
    faults: ['killed', 'paused'],
    work: texts,
    isSafe: true,
    async prepare() {
      await untilWhole();
      const key = `{holdfast-${keys[Math.floor(rounds / 2) % keys.length]}}`;
      rounds += 1;
      const port = await redis.masterPort(key);
      const master = redis.nodes.find((node) => node.port === port);
      const other = redis.nodes.find((node) => node.port !== port);
      if (!master || !other) throw new Error(`no node on port ${port}`);
      const machine = [...beside, master];
      return async (fault) => {
        if (fault === 'killed') await Promise.all(machine.map((node) => node.kill()));
        else for (const node of machine) node.signal('SIGSTOP');
        const isReplaced = async () => (await redis.masterPort(key, other.port)) !== port;
        await until('a replica is the master', isReplaced, failoverWithinMs);
        return {
          async heal() {
            if (fault === 'killed') await Promise.all(machine.map((node) => node.restart()));
            else for (const node of machine) node.signal('SIGCONT');
            await untilWhole();
          },
        };
      };
    },
    problems: async () => [],
    notes: () => [],
    close: () => redis.stop(),
  };
}
