import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { readOnlyState } from './faults.ts';
import { PrismaClient } from './generated/client.ts';

/**
 * Every statement of a service finds its rows by an index, whatever the planner believes of a table that was empty when
 * it planned; it is planned once per connection, not anew for each batch; and none runs long enough for compiling it to
 * pay.
 */
const planning = { enable_seqscan: 'off', plan_cache_mode: 'force_generic_plan', jit: 'off' };

/** The server ends a statement after so long by itself. */
const statementTimeoutMs = 30_000;
/** A process that hangs in a transaction must not keep its locks: a balance's row stops every create. */
const idleInTransactionTimeoutMs = 30_000;

/** For a connection's start. */
const planningOptions = Object.entries(planning)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

/** All that a session of a service needs, as SQL: for a pooler that opens the sessions. */
export const sessionSettings = Object.entries({
  ...planning,
  statement_timeout: String(statementTimeoutMs),
  idle_in_transaction_session_timeout: String(idleInTransactionTimeoutMs),
})
  .map(([name, value]) => `SET ${name} = ${value}`)
  .join('; ');

/** One pool of connections: Prisma asks the ordinary questions over it, named statements do the hot work. */
export type Database = {
  pool: pg.Pool;
  prisma: PrismaClient;
  close(): Promise<void>;
};

/** Anything a statement can be run on: the pool, or a client inside a transaction. */
export type Queryable = Pick<pg.Pool, 'query'>;

type Options = {
  url: string;
  poolSize: number;
  applicationName: string;
  /** How long an answer may take; after that the connection counts as lost. */
  answerWithinMs?: number;
  /**
   * Whether a statement with a name is prepared, and the session told how to plan (default true). False behind a pooler
   * that gives a session to one transaction: nothing outlives that, and the pooler itself brings `sessionSettings`.
   */
  isPrepared?: boolean;
};

/** The server ends a statement after 30 s by itself: no word for longer means that nobody is there any more. */
const usualAnswerWithinMs = 45_000;

export function openDatabase(options: Options): Database {
  const { isPrepared = true } = options;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    application_name: options.applicationName,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    query_timeout: options.answerWithinMs ?? usualAnswerWithinMs,
    keepAlive: true,
    ...(isPrepared ? ofSession : {}),
  });
  if (!isPrepared) pool.on('connect', forgetNames);
  leaveReadOnlyServer(pool);
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {});
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
  return {
    pool,
    prisma,
    async close() {
      await prisma.$disconnect();
      if (!pool.ended) await pool.end();
    },
  };
}

const ofSession = {
  statement_timeout: statementTimeoutMs,
  idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
  options: planningOptions,
};

/** A server that refuses writes on fresh sessions, too, must not have every session dialled anew at each write. */
const leaveAgainAfterMs = 1000;

/**
 * After a failover sessions may stay open to the old primary, which refuses every write. At its first refusal all of them
 * are closed, those in use when they are released: the next request dials anew, and reaches the new primary.
 */
function leaveReadOnlyServer(pool: pg.Pool): void {
  const open = new Set<pg.PoolClient>();
  let left = new WeakSet<pg.PoolClient>();
  let leftAtMs = Number.NEGATIVE_INFINITY;

  function leave(): void {
    if (performance.now() - leftAtMs < leaveAgainAfterMs) return;
    leftAtMs = performance.now();
    left = new WeakSet(open);
    // Before any request that waits or comes later: the pool serves in turn.
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

/** A name would be looked for in a session that never heard of it. */
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
