import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from './generated/client.ts';
import { idleInTransactionTimeoutMs, planningOptions, statementTimeoutMs } from './sessionSettings.ts';

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
