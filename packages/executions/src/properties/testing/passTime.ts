import type { Database } from '@holdfast/db/client';

/** Makes these executions overdue from now on. */
export async function passTime(owner: Database, executionIds: string[]): Promise<void> {
  await owner.pool.query(
    `UPDATE executions SET expires_at = clock_timestamp()
     WHERE id = ANY ($1::text[]) AND expires_at > clock_timestamp()`,
    [executionIds],
  );
  // Waits for the next millisecond, the resolution of the column.
  await owner.pool.query('SELECT pg_sleep(0.001)');
}
