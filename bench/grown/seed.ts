import { randomUUID } from 'node:crypto';
import pg from 'pg';
import {
  balances,
  dropTokens,
  finishedStatements,
  forget,
  indexTokens,
  monthlyTables,
  organizations,
  pendingStatements,
  plan,
} from './statements.ts';

const months = 12;

type Size = {
  finished: number;
  pending: number;
  /** Equal shares; the count is rounded up. */
  organizations: number;
};

/**
 * Fills the database as a year of work would: `finished` executions over the last twelve months, then `pending` ones
 * in this month. Each month is filled before it is attached and indexed. The ledger stays right.
 */
export async function seed(databaseUrl: string, size: Size, say: (line: string) => void): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const run = randomUUID();
  const { organizations: organizationCount } = size;
  const perMonth = Math.ceil(size.finished / months / organizationCount);
  const waiting = Math.ceil(size.pending / organizationCount);
  try {
    await client.query(
      "SET work_mem = '256MB'; SET maintenance_work_mem = '512MB'; SET synchronous_commit = off",
    );
    await client.query(organizations, [run, organizationCount]);
    await client.query(dropTokens);
    for (let nth = 0; nth < months; nth++) {
      const month = monthsAgo(months - nth);
      await client.query(plan, [run, month, organizationCount, perMonth, nth * perMonth]);
      for (const statement of finishedStatements({ suffix: suffixOf(month) })) await client.query(statement);
      await client.query(forget);
      say(`inserted ${((nth + 1) * perMonth * organizationCount).toLocaleString('en')} finished executions`);
    }
    const month = monthsAgo(0);
    await client.query(plan, [run, month, organizationCount, waiting, months * perMonth]);
    for (const statement of pendingStatements({ suffix: suffixOf(month) })) await client.query(statement);
    await client.query(forget);
    say('indexing');
    await client.query(indexTokens);
    await client.query(balances, [run, months * perMonth, waiting, organizationCount]);
    await client.query('SELECT recount_usage()');
    say('analyzing');
    await client.query(`VACUUM (ANALYZE) ${filledTables().join(', ')}`);
    await client.query('CHECKPOINT');
  } finally {
    await client.end();
  }
}

/** What autovacuum would have done in a year; the tables of this month are left to it. */
function filledTables(): string[] {
  const suffixes = Array.from({ length: months }, (_, nth) => suffixOf(monthsAgo(months - nth)));
  const monthly = monthlyTables.flatMap((table) => suffixes.map((suffix) => table + suffix));
  return [...monthly, 'organizations', 'balances', 'attempts', 'idempotency_keys'];
}

function monthsAgo(count: number): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count, 1)).toISOString().slice(0, 10);
}

function suffixOf(month: string): string {
  return `_${month.slice(0, 4)}_${month.slice(5, 7)}`;
}
