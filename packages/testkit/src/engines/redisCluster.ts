import { until } from '../until.ts';
import { redisCli } from './redisCli.ts';
import { startRedisNode } from './redisNode.ts';
import { type TlsFiles, tlsSettings } from './redisTls.ts';

const password = 'of-the-cluster';

/** A Redis Cluster of three masters, and so many replicas of each, on loopback; over TLS when it gets a certificate. */
export async function startRedisCluster({ tls, replicas = 0 }: { tls?: TlsFiles; replicas?: number } = {}) {
  const settings = [
    'cluster-enabled yes',
    'cluster-node-timeout 2000',
    `requirepass ${password}`,
    `masterauth ${password}`,
    ...(tls ? [...tlsSettings(tls), 'tls-cluster yes'] : []),
  ];
  const over = tls ? ['--tls', '--cacert', tls.certFile] : [];
  const nodes = await Promise.all(Array.from({ length: 3 * (1 + replicas) }, () => startRedisNode(settings)));
  const ask = (port: number, ...args: string[]) => redisCli(port, password, ...over, ...args);
  const [first] = nodes.map(({ port }) => port);
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
  await ask(
    first ?? 0,
    '--cluster',
    'create',
    ...addresses,
    '--cluster-replicas',
    `${replicas}`,
    '--cluster-yes',
  );
  for (const { port } of nodes)
    await until('the cluster is whole', async () =>
      (await ask(port, 'CLUSTER', 'INFO')).includes('cluster_state:ok'),
    );
  for (const { port } of nodes.slice(3))
    await until('the replica follows', async () =>
      (await ask(port, 'INFO', 'replication')).includes('master_link_status:up'),
    );
  return {
    /** Names two of the nodes, which tell of the third. */
    url: `redis${tls ? 's' : ''}+cluster://:${password}@${addresses.slice(0, 2).join(',')}${tls ? `?cafile=${tls.certFile}` : ''}`,
    ask,
    /** The masters first. */
    nodes,
    /** How many keys each node holds. */
    sizes: () => Promise.all(nodes.map(async ({ port }) => Number(await ask(port, 'DBSIZE')))),
    stop: () => Promise.all(nodes.map((node) => node.stop())),
  };
}
