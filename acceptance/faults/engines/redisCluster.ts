import { until } from '@holdfast/testkit/until';
import { redisCli } from './redisCli.ts';
import { startRedisNode } from './redisNode.ts';
import { cliOver, type TlsFiles, tlsSettings } from './redisTls.ts';

const password = 'of-the-cluster';

type ClusterOptions = { tls?: TlsFiles; replicas?: number; root?: string };

/** A Redis Cluster of three masters with `replicas` each, on loopback; over TLS if it gets a certificate. */
export async function startRedisCluster({ tls, replicas = 0, root }: ClusterOptions = {}) {
  const settings = [
    'cluster-enabled yes',
    'cluster-node-timeout 2000',
    `requirepass ${password}`,
    `masterauth ${password}`,
    ...(tls ? [...tlsSettings(tls), 'tls-cluster yes'] : []),
  ];
  const over = cliOver(tls);
  const nodes = await Promise.all(
    Array.from({ length: 3 * (1 + replicas) }, () => startRedisNode(settings, { root })),
  );
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
    /** The master of `key`, as node `asked` sees it. */
    async masterPort(key: string, asked = first ?? 0): Promise<number> {
      const slot = Number(await ask(asked, 'CLUSTER', 'KEYSLOT', key));
      const known = (await ask(asked, 'CLUSTER', 'NODES')).split('\n');
      return Number(/:(\d+)@/.exec(known.find((line) => holds(line, slot)) ?? '')?.[1]);
    },
    /** Every node sees three masters and all their replicas, which follow. */
    async isWhole(): Promise<boolean> {
      for (const { port } of nodes) {
        const known = await ask(port, 'CLUSTER', 'NODES');
        const count = (role: RegExp) => known.split('\n').filter((line) => role.test(line)).length;
        if (count(/master - .* connected \d/) !== 3 || count(/slave .* connected$/) !== 3 * replicas)
          return false;
        if (/master_link_status:down/.test(await ask(port, 'INFO', 'replication'))) return false;
      }
      return true;
    },
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
  const nodes = (await ask(anyPort, 'CLUSTER', 'NODES')).split('\n');
  const from = masters.find(({ id }) =>
    nodes.some((line) => line.startsWith(id) && holds(line, Number(slot))),
  );
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
function holds(line: string, slot: number): boolean {
  const ranges = line.split(' ').slice(8);
  return ranges.some((range) => {
    const [first, last = first] = range.split('-').map(Number);
    return Number(first) <= slot && slot <= Number(last);
  });
}
