import pg from 'pg';

/**
 * Runs `work` while no other process runs work under the same number on this database; the others wait. PostgreSQL
 * gives the lock back when the process that holds it dies.
 */
export async function withLock<T>(databaseUrl: string, lock: number, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'holdfast-lock',
    keepAlive: true,
  });
  // A connection that breaks is told by the statement under way; without a listener it would end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [lock]);
    return await work();
  } finally {
    await client.end();
  }
}
