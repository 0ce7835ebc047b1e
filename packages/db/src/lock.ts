import pg from 'pg';

/** Runs `work` under an advisory lock, which PostgreSQL releases when the process dies; others wait. */
export async function withLock<T>(databaseUrl: string, lock: number, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'holdfast-lock',
    keepAlive: true,
  });
  // The running statement reports a broken connection; without a listener it would end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [lock]);
    return await work();
  } finally {
    await client.end();
  }
}
