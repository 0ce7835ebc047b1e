import pg from 'pg';
import { readOnlyState } from './faults.ts';
import type { PrismaClient } from './generated/client.ts';

// Services find rows by index, even in tables that were empty at planning time; plans are made once per connection;
// no statement is long enough for JIT to pay.
const planning = { enable_seqscan: 'off', plan_cache_mode: 'force_generic_plan', jit: 'off' };

const statementTimeoutMs = 30_000;
/** A process that hangs in a transaction must release its locks: a locked balance stops every create. */
const idleInTransactionTimeoutMs = 30_000;

const planningOptions = Object.entries(planning)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

export const sessionSettings = Object.entries({
  ...planning,
  statement_timeout: String(statementTimeoutMs),
  idle_in_transaction_session_timeout: String(idleInTransactionTimeoutMs),
})
  .map(([name, value]) => `SET ${name} = ${value}`)
  .join('; ');

/** Prisma runs the ordinary queries, named statements the hot path. */
export type Database = {
  pool: pg.Pool;
  prisma: Models;
  close(): Promise<void>;
};

type Models = Omit<PrismaClient, `$${string}`>;

export type Queryable = Pick<pg.Pool, 'query'>;

type Options = {
  url: string;
  poolSize: number;
  applicationName: string;
  /** A connection without a response for longer counts as lost. */
  answerWithinMs?: number;
  /** Whether named statements are prepared (default true); false behind a pooler in transaction mode. */
  isPrepared?: boolean;
};

const defaultResponseTimeoutMs = 45_000;

export function openDatabase(options: Options): Database {
  const { isPrepared = true } = options;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    application_name: options.applicationName,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    query_timeout: options.answerWithinMs ?? defaultResponseTimeoutMs,
    keepAlive: true,
    ...(isPrepared ? ofSession : {}),
  });
  if (!isPrepared) pool.on('connect', forgetNames);
  leaveReadOnlyServer(pool);
  // The pool replaces a broken idle connection; without a listener the error would end the process.
  pool.on('error', () => {});
  let loading: Promise<PrismaClient> | null = null;
  return {
    pool,
    prisma: lazyModels(() => (loading ??= loadPrisma(pool))),
    async close() {
      await (await loading)?.$disconnect();
      if (!pool.ended) await pool.end();
    },
  };
}

export async function loadPrisma(pool: pg.Pool): Promise<PrismaClient> {
  const [{ PrismaPg }, { PrismaClient }] = await Promise.all([
    import('@prisma/adapter-pg'),
    import('./generated/client.ts'),
  ]);
  return new PrismaClient({ adapter: new PrismaPg(pool) });
}

type Query = (args: unknown) => Promise<unknown>;

/** Prisma takes 20 MB, and three of the four services make no query with it. */
function lazyModels(load: () => Promise<PrismaClient>): Models {
  const queryOf = (model: string | symbol, method: string | symbol): Query => {
    return async (args) => {
      const delegate = Reflect.get(await load(), model) as Record<string | symbol, Query>;
      return await delegate[method]?.(args);
    };
  };
  return new Proxy({} as Models, {
    get: (_models, model) => new Proxy({}, { get: (_queries, method) => queryOf(model, method) }),
  });
}

const ofSession = {
  statement_timeout: statementTimeoutMs,
  idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
  options: planningOptions,
};

/** Against reconnecting at every write while even new sessions are read-only. */
const leavePauseMs = 1000;

// After a failover, sessions to the old primary may stay open and refuse writes. At the first refusal all of them are
// closed (those in use on release), so that new ones reach the new primary.
function leaveReadOnlyServer(pool: pg.Pool): void {
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
    const { connection } = client as pg.PoolClient & Pick<pg.Client, 'connection'>;
    connection.on('errorMessage', ({ code }: { code?: string }) => code === readOnlyState && leave());
  });
  pool.on('release', (_error, client) => left.has(client) && void client.end());
  pool.on('remove', (client) => open.delete(client));
}

/** A prepared name is unknown to the next session of the pooler. */
function forgetNames(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const unnamed = (first: unknown, ...rest: unknown[]) => query(withoutName(first), ...rest);
  Object.assign(client, { query: unnamed });
}

function withoutName(statement: unknown): unknown {
  if (statement === null || typeof statement !== 'object' || !('name' in statement)) return statement;
  const { name: _, ...rest } = statement;
  return rest;
}
