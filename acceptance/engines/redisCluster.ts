import { until } from '@holdfast/testkit/until';
import { redisCli } from './redisCli.ts';
import { startRedisNode } from './redisNode.ts';
import { cliOver, type TlsFiles, tlsSettings } from './redisTls.ts';

const password = 'of-the-cluster';

/** A Redis Cluster of three masters with `replicas` each, on loopback; over TLS if it gets a certificate. */
export async function startRedisCluster({ tls, replicas = 0 }: { tls?: TlsFiles; replicas?: number } = {}) {
  const settings = [
    'cluster-enabled yes',
    'cluster-node-timeout 2000',
    `requirepass ${password}`,
    `masterauth ${password}`,
    ...(tls ? [...tlsSettings(tls), 'tls-cluster yes'] : []),
  ];
  const over = cliOver(tls);
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
    /** Names two of the nodes; clients discover the third. */
    url: `redis${tls ? 's' : ''}+cluster://:${password}@${addresses.slice(0, 2).join(',')}${tls ? `?cafile=${tls.certFile}` : ''}`,
    ask,
    /** The masters first. */
    nodes,
    /** Moves the slot of `key`, with its keys, to another master, as resharding does. */
    moveSlotOf: (key: string) => moveSlot(ask, nodes.slice(0, 3), key),
    /** The number of keys on each node. */
    sizes: () => Promise.all(nodes.map(async ({ port }) => Number(await ask(port, 'DBSIZE')))),
    stop: () => Promise.all(nodes.map((node) => node.stop())),
  };
}

type Ask = (port: number, ...args: string[]) => Promise<string>;

async function moveSlot(ask: Ask, ofMasters: readonly { port: number }[], key: string): Promise<void> {
  const masters = await Promise.all(
    ofMasters.map(async ({ port }) => ({ port, id: (await ask(port, 'CLUSTER', 'MYID')).trim() })),
  );
  const anyPort = masters[0]?.port ?? 0;
  const slot = (await ask(anyPort, 'CLUSTER', 'KEYSLOT', key)).trim();
  const nodes = await ask(anyPort, 'CLUSTER', 'NODES');
  const from = masters.find(({ id }) => holds(nodes, id, Number(slot)));
  const to = masters.find((one) => one !== from);
  if (!from || !to) throw new Error(`no two masters for slot ${slot}`);
  await ask(to.port, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', from.id);
  await ask(from.port, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.id);
  for (;;) {
    const keys = (await ask(from.port, 'CLUSTER', 'GETKEYSINSLOT', slot, '50')).split('\n').filter(Boolean);
    if (keys.length === 0) break;
    const what = ['127.0.0.1', `${to.port}`, '', '0', '5000', 'AUTH', password, 'KEYS', ...keys];
    await ask(from.port, 'MIGRATE', ...what);
  }
  for (const { port } of [to, ...masters]) await ask(port, 'CLUSTER', 'SETSLOT', slot, 'NODE', to.id);
}

/** Parses the end of a node's line in CLUSTER NODES: `… connected 0-5460 5462`. */
function holds(nodes: string, id: string, slot: number): boolean {
  const line = nodes.split('\n').find((one) => one.startsWith(id)) ?? '';
  const ranges = line.split(' ').slice(8);
  return ranges.some((range) => {
    const [first, last = first] = range.split('-').map(Number);
    return Number(first) <= slot && slot <= Number(last);
  });
}
