import type { PoolClient } from 'pg';
import type { Database } from './client.ts';

/** Runs `work` in one transaction on one connection: commits what it returns from, rolls back what it throws from. */
export async function inTransaction<Result>(
  db: Pick<Database, 'pool'>,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await db.pool.connect();
  // Of a connection that breaks the statement under way tells; without a listener it would end the process.
  const ignore = () => {};
  client.on('error', ignore);
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    client.release();
    return result;
  } catch (error) {
    await client.query('ROLLBACK').then(
      () => client.release(),
      (broken: Error) => client.release(broken),
    );
    throw error;
  } finally {
    client.off('error', ignore);
  }
}
