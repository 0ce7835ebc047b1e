import type { Database } from './client.ts';

/** For /readyz. @throws when the database does not answer */
export async function ping(db: Database): Promise<null> {
  await db.pool.query('SELECT 1');
  return null;
}
