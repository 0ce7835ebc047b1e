import pg from 'pg';
import { backupTables } from './tables.ts';

/** What a backup was made of, or goes into, is not as it must be; the text says what to do about it. */
export class BackupRefusedError extends Error {}

/**
 * Runs `work` in one transaction on a connection of its own, on which nothing has a time limit: commits what it returns
 * from, rolls back what it throws from.
 */
export async function inLongTransaction<Result>(
  databaseUrl: string,
  begin: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'holdfast-backup',
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
  });
  // Of a connection that breaks the statement under way tells; without a listener it would end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(`${begin}; ${settings}`);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } finally {
    // What was not committed is rolled back with the end of the connection.
    await client.end();
  }
}

/** @throws BackupRefusedError when one of the tables is not there */
export async function lockTables(
  client: pg.Client,
  mode: 'ACCESS SHARE' | 'ACCESS EXCLUSIVE',
): Promise<void> {
  try {
    await client.query(`LOCK TABLE ${backupTables.join(', ')} IN ${mode} MODE`);
  } catch (error) {
    if ((error as { code?: unknown }).code !== undefinedTable) throw error;
    throw new BackupRefusedError(
      'the database has not the tables of this version of Holdfast: migrate it first',
    );
  }
}

const undefinedTable = '42P01';

// A text is the same wherever it is written and read. Who is not shown every row by row level security gets an error.
const settings = `SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
  SET LOCAL lock_timeout = '10s'; SET LOCAL row_security = off; SET LOCAL search_path = public;
  SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO, YMD'; SET LOCAL IntervalStyle = 'postgres';
  SET LOCAL bytea_output = 'hex'; SET LOCAL extra_float_digits = 1; SET LOCAL client_encoding = 'UTF8'`;
