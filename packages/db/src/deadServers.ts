import type pg from 'pg';
import { readOnlyState } from './faults.ts';
import { type Cluster, type Session, silentAfterMs } from './session.ts';

type Pooled = pg.PoolClient & Session;

/** Against reconnecting at every write while even new sessions are read-only. */
const leavePauseMs = 1000;

/**
 * After a failover, sessions to the old primary may stay open and refuse writes. At the first refusal, or when a server
 * says that it has become read-only, all of them are closed (those in use on release), so that new ones reach the new primary.
 */
export function leaveReadOnlyServer(pool: pg.Pool): void {
  const open = new Set<pg.PoolClient>();
  let left = new WeakSet<pg.PoolClient>();
  let leftAtMs = Number.NEGATIVE_INFINITY;

  function leave(): void {
    if (performance.now() - leftAtMs < leavePauseMs) return;
    leftAtMs = performance.now();
    left = new WeakSet(open);
    // Idle clients are taken before requests that wait: the pool serves in order.
    for (let idle = pool.idleCount; idle > 0; idle -= 1) {
      pool.connect().then(
        (client) => client.release(left.has(client)),
        () => {},
      );
    }
  }

  pool.on('connect', (client) => {
    open.add(client);
    const { connection } = client;
    connection.on('errorMessage', ({ code }: { code?: string }) => code === readOnlyState && leave());
    connection.on('parameterStatus', (status: Status) => isReadOnly(status) && leave());
  });
  pool.on('release', (_error, client) => left.has(client) && void client.end());
  pool.on('remove', (client) => open.delete(client));
}

type Status = { parameterName?: string; parameterValue?: string };

const isReadOnly = ({ parameterName = '', parameterValue }: Status) =>
  parameterName === 'default_transaction_read_only' && parameterValue === 'on';

/**
 * A server that is paused or cut off says nothing, and its sessions would wait until `query_timeout`. While a session
 * waits, the pool looks for the primary; once that is another server, it closes all sessions to the old one.
 */
export function leaveSilentServer(pool: pg.Pool, cluster: Cluster): void {
  const open = new Set<Pooled>();
  const inUseSinceMs = new Map<pg.PoolClient, number>();
  let timer: NodeJS.Timeout | null = null;

  async function look(): Promise<void> {
    timer = null;
    const limitMs = performance.now() - silentAfterMs;
    const isSilent = [...inUseSinceMs.values()].some((sinceMs) => sinceMs <= limitMs);
    const primary = isSilent ? await cluster.findPrimary().catch(() => null) : null;
    for (const session of primary ? open : []) {
      if (session.server?.startedAt !== primary?.startedAt) session.drop();
    }
    lookLater();
  }

  function lookLater(): void {
    if (inUseSinceMs.size > 0) timer ??= setTimeout(() => void look(), silentAfterMs).unref();
  }

  pool.on('connect', (client) => open.add(client as Pooled));
  pool.on('acquire', (client) => {
    inUseSinceMs.set(client, performance.now());
    lookLater();
  });
  pool.on('release', (_error, client) => inUseSinceMs.delete(client));
  pool.on('remove', (client) => {
    open.delete(client as Pooled);
    inUseSinceMs.delete(client);
  });
}
