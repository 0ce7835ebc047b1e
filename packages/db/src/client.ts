import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from './generated/client.ts';

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
};

/** The server ends a statement after 30 s by itself: no word for longer means that nobody is there any more. */
const usualAnswerWithinMs = 45_000;

/**
 * Every statement of a service finds its rows by an index, whatever the planner believes of a table that was empty when
 * it planned; it is planned once per connection, not anew for each batch; and none runs long enough for compiling it to
 * pay.
 */
const planning = '-c enable_seqscan=off -c plan_cache_mode=force_generic_plan -c jit=off';

export function openDatabase(options: Options): Database {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    application_name: options.applicationName,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    statement_timeout: 30_000,
    query_timeout: options.answerWithinMs ?? usualAnswerWithinMs,
    // A process that hangs in a transaction must not keep its locks: a balance's row stops every create.
    idle_in_transaction_session_timeout: 30_000,
    keepAlive: true,
    options: planning,
  });
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
