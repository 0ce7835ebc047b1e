import { parseJson } from '@holdfast/domain/json';
import pg from 'pg';
import { leaveReadOnlyServer, leaveSilentServer } from './deadServers.ts';
import type { PrismaClient } from './generated/client.ts';
import { openCluster, openPool } from './session.ts';

// Services find rows by index, even in tables that were empty at planning time; plans are made once per connection;
// no statement is long enough for JIT to pay.
const planning = { enable_seqscan: 'off', plan_cache_mode: 'force_generic_plan', jit: 'off' };

const statementTimeoutMs = 30_000;
/** A process that hangs in a transaction must release its locks. */
const idleInTransactionTimeoutMs = 30_000;
/** A row that another session keeps must not keep the connections too. Longer than a migration waits for a table. */
const lockTimeoutMs = 2000;

const planningOptions = Object.entries(planning)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

export const sessionSettings = Object.entries({
  ...planning,
  statement_timeout: String(statementTimeoutMs),
  lock_timeout: String(lockTimeoutMs),
  idle_in_transaction_session_timeout: String(idleInTransactionTimeoutMs),
})
  .map(([name, value]) => `SET ${name} = ${value}`)
  .join('; ');

/** Prisma lists organizations and API keys; all else are named statements. */
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
  responseTimeoutMs?: number;
  /** Whether named statements are prepared (default true); false behind a pooler in transaction mode. */
  isPrepared?: boolean;
  /** Whether `url` may name a replica, or a read-only server (default false). */
  acceptsReadOnly?: boolean;
};

const defaultResponseTimeoutMs = 45_000;

export function openDatabase(options: Options): Database {
  const { isPrepared = true, acceptsReadOnly = false } = options;
  const cluster = openCluster(options.url, { acceptsReadOnly });
  const pool = openPool(cluster, {
    max: options.poolSize,
    application_name: options.applicationName,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    query_timeout: options.responseTimeoutMs ?? defaultResponseTimeoutMs,
    types,
    ...(isPrepared ? ofSession : {}),
  });
  if (!isPrepared) pool.on('connect', forgetNames);
  leaveReadOnlyServer(pool);
  // Behind a pooler, a session has no server of its own.
  if (isPrepared && !acceptsReadOnly) leaveSilentServer(pool, cluster);
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

const { TIMESTAMPTZ, JSON: JSON_TYPE, JSONB } = pg.types.builtins;
const types = new pg.TypeOverrides();
for (const type of [JSON_TYPE, JSONB]) types.setTypeParser(type, parseJson);
types.setTypeParser(TIMESTAMPTZ, readTime);

/** pg's parser, which takes twice as long, knows infinity, zones with minutes, and years that are not of four digits. */
function readTime(text: string): unknown {
  const time = new Date(`${text.slice(0, 10)}T${text.slice(11)}:00`);
  return Number.isNaN(time.getTime()) ? pg.types.getTypeParser(TIMESTAMPTZ)(text) : time;
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
  lock_timeout: lockTimeoutMs,
  idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
  options: planningOptions,
};

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
