import type { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { databaseServers } from '@holdfast/kit/databaseAddress';
import pg from 'pg';
import { staleServerError } from './faults.ts';

/** A server is silent if it has not responded for this long; another one may have become the primary. */
export const silentAfterMs = 2000;
const probeTimeoutMs = 3000;
/** A pool opens many sessions at once; after that it opens few. */
const knownForMs = 1000;
/** For the other servers to respond, once one has: enough for a new primary, little while the others are dead. */
const compareForMs = 300;
/** Patroni demotes a primary that resumes within seconds. One that stays behind for longer was restored from a backup. */
const restoredAfterMs = 60_000;

type Server = { url: string; host: string; port: number };

export type ServerState = {
  isReadOnly: boolean;
  /** Distinguishes servers behind one address. */
  startedAt: string;
};

/** The servers of one DATABASE_URL, of which one is the primary. */
export type Cluster = ReturnType<typeof openCluster>;

export function openCluster(url: string, { acceptsReadOnly = false } = {}) {
  const servers = databaseServers(url).map(serverOf);
  const [only] = servers;
  let primary: Server | null = null;
  let lastTimeline = '';
  let foundAtMs = Number.NEGATIVE_INFINITY;
  let behindSinceMs: number | null = null;
  let finding: Promise<ServerState> | null = null;

  async function find(): Promise<ServerState> {
    const searches = servers.map(async (server) => ({ server, ...(await readPrimaryOf(server.url)) }));
    const found = await newestOf(searches, lastTimeline);
    behindSinceMs = found.timeline < lastTimeline ? (behindSinceMs ?? performance.now()) : null;
    if (behindSinceMs !== null && performance.now() - behindSinceMs < restoredAfterMs)
      throw staleServerError('the server that accepts writes has had a successor, which does not respond');
    primary = found.server;
    lastTimeline = found.timeline;
    foundAtMs = performance.now();
    return found.state;
  }

  /** Asks all servers at once; concurrent callers share the result. @throws if none of them accepts writes */
  async function findPrimary(): Promise<ServerState> {
    finding ??= find().finally(() => {
      finding = null;
    });
    return await finding;
  }

  return {
    firstUrl: only?.url ?? url,
    findPrimary,
    async address(): Promise<Server | undefined> {
      if (servers.length === 1) return only;
      if (performance.now() - foundAtMs > knownForMs) await findPrimary();
      return primary ?? only;
    },
    /** False: a search has found another one meanwhile. */
    isPrimary: (server: Server | undefined) => primary === null || primary === server,
    forget(): void {
      foundAtMs = Number.NEGATIVE_INFINITY;
    },
    /** A lone server may be a replica on purpose; of several, it is always the primary that is meant. */
    accepts: ({ isReadOnly }: ServerState) => !isReadOnly || (acceptsReadOnly && servers.length === 1),
  };
}

function serverOf(url: string): Server {
  const { host, port } = new pg.Client({ connectionString: url });
  return { url, host, port };
}

type Found = { server: Server } & Primary;

/**
 * A primary that was paused accepts sessions again until its cluster demotes it, and does not have the rows of its successor.
 * Each promotion raises the timeline. If it seems to have fallen since, the successor may just be slow. @throws if no server
 * accepts writes
 */
async function newestOf(searches: Promise<Found>[], lastTimeline: string): Promise<Found> {
  const found: Found[] = [];
  const all = Promise.allSettled(searches.map(async (search) => found.push(await search)));
  await Promise.any(searches);
  await Promise.race([all, delay(compareForMs, undefined, { ref: false })]);
  if (found.every(({ timeline }) => timeline < lastTimeline)) await all;
  return found.reduce((newest, one) => (one.timeline > newest.timeline ? one : newest));
}

/** An empty timeline: the server does not report it. */
type Primary = { state: ServerState; timeline: string };

/** @throws if the server cannot be reached or is read-only */
async function readPrimaryOf(url: string): Promise<Primary> {
  const client = withoutCrash(
    new pg.Client({
      connectionString: url,
      application_name: 'holdfast-probe',
      connectionTimeoutMillis: probeTimeoutMs,
      query_timeout: probeTimeoutMs,
    }),
  );
  try {
    await client.connect();
    const state = await readState(client);
    if (state.isReadOnly) throw staleServerError(readOnly);
    return { state, timeline: await readTimeline(client) };
  } finally {
    client.connection.stream.destroy();
  }
}

async function readState(client: pg.ClientBase): Promise<ServerState> {
  const { rows } = await client.query<ServerState>(state);
  return rows[0] ?? { isReadOnly: true, startedAt: '' };
}

const state = `SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS "isReadOnly",
  extract(epoch FROM pg_postmaster_start_time())::text AS "startedAt"`;

async function readTimeline(client: pg.ClientBase): Promise<string> {
  try {
    const { rows } = await client.query<{ timeline: string }>(timeline);
    return rows[0]?.timeline ?? '';
  } catch (error) {
    if (error instanceof pg.DatabaseError && noTimeline.has(error.code ?? '')) return '';
    throw error;
  }
}

// As text of eight hexadecimal digits, which compare like the numbers.
const timeline = 'SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline';

/** Services that are not quite PostgreSQL refuse the functions (Aurora: 55000), or do not have them. */
const noTimeline = new Set(['55000', '0A000', '42501', '42883']);

const readOnly = 'the server accepts no writes: it is a standby, or read-only';

type SessionConfig = pg.ClientConfig & { cluster: Cluster };

/** A connection to the primary of a cluster. Fails to connect, as if unreachable, if its server is read-only. */
export class Session extends pg.Client {
  server: ServerState | null = null;
  readonly #cluster: Cluster;

  constructor(config: SessionConfig) {
    super({ keepAlive: true, ...config, connectionString: config.cluster.firstUrl });
    this.#cluster = config.cluster;
    withoutCrash(this);
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
    const connecting = this.#connect();
    if (!callback) return connecting;
    const connected = callback as (error?: Error) => void;
    connecting.then(() => connected(), connected);
    return undefined;
  }

  async #connect(): Promise<pg.Client> {
    const address = await this.#cluster.address();
    if (address) Object.assign(this, { host: address.host, port: address.port });
    try {
      await super.connect();
      this.server = await readState(this);
      if (!this.#cluster.accepts(this.server)) throw staleServerError(readOnly);
      if (!this.#cluster.isPrimary(address)) throw staleServerError('the server is no longer the primary');
      return this;
    } catch (error) {
      this.#cluster.forget();
      this.drop();
      throw error;
    }
  }

  /** Ends the session without a word to its server, which may be silent. Its running statement fails. */
  drop(): void {
    this.connection.stream.destroy();
  }
}

/** A session outside the pools; of a lone server also if that is read-only. */
export async function openSession(url: string, config: pg.ClientConfig = {}): Promise<Session> {
  const session = new Session({ ...config, cluster: openCluster(url, { acceptsReadOnly: true }) });
  await session.connect();
  return session;
}

/** Sessions of the primary; broken ones are replaced. */
export function openPool(cluster: Cluster, config: pg.PoolConfig): pg.Pool {
  const sessions = { cluster, Client: Session as unknown as NonNullable<pg.PoolConfig['Client']> };
  return withoutCrash(new pg.Pool({ ...config, ...sessions }));
}

/** The running statement reports a broken connection; without a listener it would also end the process. */
function withoutCrash<Emitter extends EventEmitter>(emitter: Emitter): Emitter {
  emitter.on('error', () => {});
  return emitter;
}
