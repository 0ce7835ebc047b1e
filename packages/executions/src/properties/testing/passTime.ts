import type { Database } from '@holdfast/db/client';

/** The time of these executions is over from now on; of those that are past it already nothing changes. */
export async function passTime(owner: Database, executionIds: string[]): Promise<void> {
  await owner.pool.query(
    `UPDATE executions SET expires_at = clock_timestamp()
     WHERE id = ANY ($1::text[]) AND expires_at > clock_timestamp()`,
    [executionIds],
  );
  // The next millisecond, for the column has no finer time: what comes from here on is after it.
  await owner.pool.query('SELECT pg_sleep(0.001)');
}
