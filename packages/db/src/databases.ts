import { changeDatabaseUrl } from '@holdfast/kit/databaseAddress';
import pg from 'pg';
import { openSession } from './session.ts';

/** Returns the new database's URL. @throws when it exists, unless `ifMissing` */
export async function createDatabase(
  serverUrl: string,
  name: string,
  { template = 'template1', ifMissing = false }: { template?: string; ifMissing?: boolean } = {},
): Promise<string> {
  const client = await openSession(serverUrl);
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (!ifMissing || rowCount === 0) {
      await client.query(
        `CREATE DATABASE ${pg.escapeIdentifier(name)} TEMPLATE ${pg.escapeIdentifier(template)}`,
      );
    }
  } finally {
    await client.end();
  }
  return databaseUrl(serverUrl, name);
}

export function databaseUrl(serverUrl: string, name: string): string {
  return changeDatabaseUrl(serverUrl, (server) => {
    server.pathname = `/${name}`;
  });
}

export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  const client = await openSession(serverUrl);
  try {
    await client.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`);
  } finally {
    await client.end();
  }
}

/** Runs `work` under an advisory lock, which PostgreSQL releases when the process dies; others wait. */
export async function withLock<T>(databaseUrl: string, lock: number, work: () => Promise<T>): Promise<T> {
  const client = await openSession(databaseUrl, { application_name: 'holdfast-lock' });
  try {
    await client.query('SELECT pg_advisory_lock($1)', [lock]);
    return await work();
  } finally {
    await client.end();
  }
}
