import type pg from 'pg';
import { openSession } from '../session.ts';
import { backupTables } from './tables.ts';

export class BackupRefusedError extends Error {}

export async function inLongTransaction<Result>(
  databaseUrl: string,
  beginSql: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = await openSession(databaseUrl, {
    application_name: 'holdfast-backup',
    connectionTimeoutMillis: 10_000,
  });
  try {
    await client.query(`${beginSql}; ${settings}`);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } finally {
    await client.end();
  }
}

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

// Fixed formats: text is the same wherever it is written. Row security raises an error instead of hiding rows.
const settings = `SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
  SET LOCAL lock_timeout = '10s'; SET LOCAL row_security = off; SET LOCAL search_path = public;
  SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO, YMD'; SET LOCAL IntervalStyle = 'postgres';
  SET LOCAL bytea_output = 'hex'; SET LOCAL extra_float_digits = 1; SET LOCAL client_encoding = 'UTF8'`;
